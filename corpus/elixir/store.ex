defmodule Store.Server do
  @moduledoc """
  Keeps values.  `if x, do: close(x)` is not code here.
  """
  use GenServer, restart: :transient
  alias Store.{Entry, Log}
  import Enum, only: [map: 2]

  @limit 10
  @type key :: atom | String.t()

  defstruct name: "größe", size: 0

  @spec get(key, keyword) :: {:ok, term} | :error
  def get(key, opts \\ []) when is_atom(key) do
    case fetch(key, opts) do
      {:ok, value} -> {:ok, value}
      {:error, reason} when reason != :none -> raise ArgumentError, "bad: #{reason}"
      _ -> :error
    end
  end

  def size(%__MODULE__{size: size}), do: size

  defp fetch(nil, _), do: {:error, :none}

  defp fetch(key, opts) do
    # fetch(nil, opts) in a comment
    text = "fetch(key, opts)"
    opts |> Keyword.get(:store, %{}) |> Map.fetch(key) |> log(text)
  end

  def close(handle, other) do
    if handle != nil do
      close(handle)
    end

    if handle != nil, do: close(handle)
    # The guard that closes something else.
    if handle != nil do
      close(other)
    else
      :ok
    end
  end

  def run(list) do
    total = Enum.reduce(list, 0, fn x, acc -> x + acc end)
    squares = for x <- list, x > 0, do: x * x
    doubled = map(list, &(&1 * 2))

    with {:ok, first} <- get(:first),
         {:ok, second} <- get(:second, default: 1) do
      first == first and second not in squares
    else
      :error -> total
    end

    try do
      File.read!("a.txt")
    rescue
      e in File.Error -> Log.error(e.message)
    catch
      :exit, _ -> nil
    after
      IO.puts "done"
    end

    [head | tail] = doubled
    %{"a" => head, b: tail, c: ~r/fetch\(.*\)/i, d: 'charlist'}
  end
end
