package shop.cache;

import java.util.*;
import static java.util.Objects.requireNonNull;

/** A cache. stream.close() in a comment is no call. */
public class Cache<K extends Comparable<K>> extends Base implements Closeable {
    private static final int LIMIT = 10;
    private final Map<K, String> entries = new HashMap<>();
    protected Stream stream, other;

    static { register("stream.close();"); }

    public Cache(final Stream stream) {
        super(stream);
        this.stream = stream;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void close() throws IOException {
        if (stream != null) stream.close();
        if (stream != null) {
            stream.close();
        }
        if (stream != null) other.close();
        if (stream == null) { log("zu"); } else stream = null;
        stream.close(/* now */);
        stream.flush();
        stream.close();
    }

    private int size(List<String> names, int... rest) {
        int total = 0;
        for (int i = 0; i < rest.length; i++) total += rest[i];
        for (String name : names) { total++; }
        while (total > LIMIT) total -= 1;
        do { total = total == total ? 1 : 2; } while (total < 0);
        switch (total) {
            case 1:
                log("eins");
                break;
            case 2:
            default:
                return 0;
        }
        var label = switch (total) { case 1, 2 -> "few"; default -> "many"; };
        try (Stream in = open(label)) {
            in.read();
        } catch (IOException | RuntimeException error) {
            throw new IllegalStateException(error);
        } finally {
            log(label);
        }
        synchronized (names) { names.clear(); }
        Function<Integer, Integer> twice = x -> x + x;
        Runnable run = () -> { log("größer"); };
        names.sort(String::compareTo);
        if (names instanceof ArrayList) { ArrayList list = (ArrayList) names; list.trimToSize(); }
        int[] numbers = {1, 2, 3,};
        return twice.apply(new Integer(total)) + numbers[0];
    }

    enum Level { LOW(1), HIGH(2), ; private final int value; Level(int value) { this.value = value; } }

    interface Visitor { void visit(Cache<?> cache); default int depth() { return 1; } }

    @interface Marker { int value() default 1; }
}
