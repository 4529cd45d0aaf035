//! A store. file.close() in a comment is no call.
const std = @import("std");

pub const limit: u32 = 10;

pub const Item = struct {
    name: []const u8,
    count: u32 = 0,

    pub fn init(name: []const u8) Item {
        return .{ .name = name, .count = 1, };
    }

    fn close(self: *Item, other: *Item) void {
        if (self.file != null) self.file.close();
        if (self.file != null) {
            self.file.close();
        }
        if (self.file != null) other.file.close();
        self.file.close( // now
        );
    }
};

const Level = enum { low, high = 2, other };

const Value = union(enum) { number: i32, text: []const u8 };

const StoreError = error{ Empty, Closed };

pub fn load(allocator: std.mem.Allocator, path: []const u8) !usize {
    var list = std.ArrayList(u8).init(allocator);
    defer list.deinit();
    errdefer std.log.err("größer", .{});
    const file = try std.fs.cwd().openFile(path, .{});
    const first = file.reader().readByte() catch |err| {
        std.debug.print("{}", .{err});
        return err;
    };
    const last = list.popOrNull() orelse return error.Empty;
    var i: usize = 0;
    while (i < limit) : (i += 1) {
        list.append(first) catch unreachable;
    }
    for (list.items) |item| {
        if (item == item) continue;
    }
    switch (last) {
        1, 2 => std.debug.print("few", .{}),
        3...9 => {},
        else => |n| use(n),
    }
    if (list.getLastOrNull()) |n| use(n) else use(0);
    const text =
        \\file.close();
        \\raw
    ;
    const numbers = [_]u8{ 1, 2, 3, };
    return @intCast(text.len + numbers.len);
}

test "load" {
    try std.testing.expect(limit == 10);
}
