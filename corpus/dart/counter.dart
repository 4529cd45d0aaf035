// A counter. controller.dispose() in a comment is no call.
import 'package:flutter/material.dart';
import 'dart:async' as async show Timer;

part 'counter.g.dart';

typedef Callback = void Function(int value);

enum Level { low, high, }

mixin Logging on Object {
  void log(String text) => print("controller.dispose(); $text ${text.length}");
}

@immutable
class Counter extends StatefulWidget with Logging implements Closeable {
  const Counter({super.key, required this.title, this.start = 0});

  final String title;
  final int start;
  static const limit = 10;

  @override
  State<Counter> createState() => _CounterState();
}

class _CounterState extends State<Counter> {
  late TextEditingController controller;
  Timer? timer, other;
  final Map<String, int> counts = {'eins': 1, 'zwei': 2,};

  int get total => counts.length;

  @override
  void dispose() {
    if (timer != null) timer.dispose();
    if (timer != null) {
      timer.dispose();
    }
    if (timer != null) other.dispose();
    if (timer == null) log('zu'); else timer = null;
    timer?.cancel();
    timer!.cancel(/* now */);
    controller.dispose();
    super.dispose();
  }

  Future<void> load(String path, [int limit = 10]) async {
    for (var i = 0; i < limit; i++) counts['$i'] = i;
    for (final name in counts.keys) { log(name); }
    while (limit > 0) limit -= 1;
    try {
      await fetch(path, timeout: 5);
    } on StateError catch (error, stack) {
      throw Exception('größer');
    } catch (error) {
      rethrow;
    } finally {
      log("done");
    }
    switch (limit) {
      case 1:
        log('one');
        break;
      default:
        return;
    }
    final kind = switch (limit) { 1 => 'few', _ => 'many' };
    var twice = (int x) => x * 2;
    final list = <int>[1, 2, ...counts.values, if (limit == limit) 3];
    var same = path as Object is! String ? null : kind ?? r'raw\n';
    setState(() { counts.clear(); });
  }

  @override
  Widget build(BuildContext context) {
    return Column(children: [Text(widget.title, style: null), const SizedBox(height: 8)]);
  }
}
