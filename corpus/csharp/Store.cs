using System;
using System.Collections.Generic;
using static System.Math;

namespace Shop.Data
{
    /// <summary>A store. a.Dispose() in a comment is no call.</summary>
    [Serializable, Obsolete("use Vault")]
    public sealed class Store<T> : IDisposable where T : class
    {
        private readonly List<T> _items = new List<T>();
        private Connection connection, other;
        public int Count { get; private set; }
        public string Name => "connection.Dispose();";
        public event EventHandler Changed;

        public Store(Connection connection) { this.connection = connection; }

        #region Closing
        public void Dispose()
        {
            if (connection != null) connection.Dispose();
            if (connection != null)
            {
                connection.Dispose();
            }
            if (connection != null) other.Dispose();
            if (connection == null) { Log("zu"); } else connection = null;
            connection?.Dispose();
            Changed?.Invoke(this, EventArgs.Empty);
        }
        #endregion

        [Test]
        public async Task<int> Load(string path, int limit = 10, params int[] rest)
        {
            using (var reader = Open(path)) { reader.Read(); }
            using var file = Open(path /* again */);
            foreach (var item in _items) Log(item);
            for (int i = 0; i < limit; i++) { Count += i; }
            try
            {
                await Fetch(path, timeout: 5);
            }
            catch (IOException error) when (error.HResult != 0)
            {
                throw new InvalidOperationException(nameof(path), error);
            }
            finally { Log($"done {path}"); }
            switch (limit)
            {
                case 1: Log("eins"); break;
                case 2:
                default: return 0;
            }
            var size = limit switch { 0 => "none", > 9 => "many", _ => "some", };
            Func<int, int> twice = x => x * 2;
            Action log = () => { Log(@"c:\temp"); };
            if (path is string text && text == text) lock (_items) { _items.Clear(); }
            return Parse(size, ref limit, out var parsed) ?? (int)Max(1, parsed);
        }
    }

    public enum Level { Low, High = 2, }
    public record Point(int X, int Y);
    public interface IVisitor { void Visit(Point point); }
}
