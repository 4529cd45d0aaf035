# frozen_string_literal: true

require 'set'
require_relative "entry"

# puts name in a comment is not code.
module Store
  LIMIT = 10
  NAMES = %w[one two].freeze

  class Base < Struct.new(:name, :size)
    include Enumerable
    attr_reader :root, :options

    def initialize(root, limit = LIMIT, *rest, strict: false, **options, &block)
      @root = root
      @options = options
      @block ||= block
      @@count = (@@count || 0) + 1
    end

    def self.open(path)
      file = File.open(path)
      yield file
    ensure
      file&.close
    end

    def close(other)
      @handle.close unless @handle.nil?
      if @handle != nil
        @handle.close
      end
      # The guard that closes something else.
      other.close if @handle != nil
    end

    def each
      return to_enum unless block_given?
      @items.each { |item| yield item }
      @items.each do |item|
        puts(item)
        puts item, "größe"
      end
    end

    def size = @items.size

    def empty; end

    private

    def load!(path)
      text = "puts #{path}"
      JSON.parse(File.read(path), symbolize_names: true)
    rescue Errno::ENOENT, IOError => e
      raise ArgumentError, "cannot read #{path}: #{e.message}"
    rescue
      nil
    else
      text
    end
  end

  def self.classify(value)
    case value
    when 0, nil then :empty
    when String
      value == value ? :text : 'puts value'
    else
      :other
    end
  end

  def self.match(config)
    case config
    in { name: String => name, size: } if size > 1
      name
    in [first, *]
      first
    end
  end
end

totals = { a: 1, "b" => 2, :c => 3, **{} }
names = Store::NAMES.map(&:upcase).select { |n| n.length > 2 && n !~ /puts/ }
square = ->(x) { x**2 }
puts square.call(3) if totals[:a] and not names.empty?
i = 0
i += 1 while i < 10
until i.zero? do i -= 1 end
first, *rest = *names
puts <<~TEXT
  puts #{first} #{rest}
TEXT
