# mkDerivation { } in a comment is not code.
{ pkgs ? import <nixpkgs> { }, lib, debug ? false, ... }@args:

let
  version = "1.0";
  inherit (lib) optional optionals;
  inherit pkgs;
  greet = name: "Grüße, ${name}";
  add = x: y: x + y;
  empty = { };
in
with lib;
rec {
  pname = "store";
  src = ./src;
  home = https://example.org;
  same = version == version && !debug;
  flags = [ 1 "two" (add 1 2) ] ++ optional debug "-g";
  text = "mkDerivation { name = 1; }";

  package = pkgs.stdenv.mkDerivation {
    inherit pname version src;
    name = "${pname}-${version}";
    buildInputs = [ pkgs.zlib pkgs.openssl ];
    meta.license = lib.licenses.mit or null;
    installPhase = ''
      mkdir -p $out
      echo ${greet "Welt"}
    '';
  };

  extra = if args ? extra then args.extra else { a = 1; b = 2; };
  merged = extra // { b = 3; };
  checked = assert debug -> same; merged;
}
