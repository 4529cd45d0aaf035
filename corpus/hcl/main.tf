# resource "aws_instance" "old" {} is gone.
terraform {
  required_version = ">= 1.5"
}

variable "name" {
  type    = string
  default = "größe"
}

variable "empty" {}

locals {
  tags  = { owner = "team", env : var.env, (var.name) = "x", }
  ports = [80, 443,]
  names = [for n in var.names : upper(n) if n != ""]
  index = { for k, v in local.tags : k => v }
  same  = var.a == var.a && !var.b
}

resource "aws_instance" "web" {
  count         = var.enabled ? 2 : 0
  ami           = data.aws_ami.linux.id # the image
  instance_type = "t3.micro"
  user_data     = <<-EOT
    #!/bin/sh
    echo "count = 2"
  EOT
  tags          = merge(local.tags, { Name = "web-${count.index}" })

  dynamic "ebs_block_device" {
    for_each = var.disks
    content {
      volume_size = ebs_block_device.value
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

/* module "old" { source = "./old" } */
module "network" {
  source  = "./network"
  version = null
  cidrs   = concat(["10.0.0.0/8"], var.cidrs...)
  first   = aws_instance.web[0].id
  all     = aws_instance.web[*].id
}

output "text" {
  value = "%{if var.enabled}an%{else}aus%{endif} resource \"x\" {}"
}
