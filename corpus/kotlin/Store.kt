package shop.store

import kotlinx.coroutines.launch
import shop.data.Connection as Link

// A store. link.close() in a comment is no call.
@Suppress("unused")
class Store(private val link: Link?, var other: Link? = null) : Base(), Closeable {
    private val items = mutableListOf<String>()
    lateinit var name: String
    val size: Int
        get() = items.size
    val label by lazy { "link.close()" }

    init {
        check(size >= 0)
    }

    override fun close() {
        if (link != null) link.close()
        if (link != null) {
            link.close()
        }
        if (link != null) other!!.close()
        if (link == null) log("zu") else link.close(/* now */)
        link?.close()
        link?.let { it.close() }
    }

    suspend fun load(path: String, limit: Int = 10, vararg rest: Int): List<String> {
        for (n in 0..limit) items.add("$n")
        while (items.size > limit) items.removeAt(0)
        try {
            fetch(path, timeout = 5,)
        } catch (error: IOException) {
            throw IllegalStateException("kaputt", error)
        } finally {
            log("done ${path.length}")
        }
        when (limit) {
            1, 2 -> log("few")
            in 3..9 -> {
                log("some")
            }
            else -> log("größer")
        }
        val kind = when {
            path is String && path == path -> 1
            else -> 2
        }
        val (first, second) = items
        return items.map { item -> item.trim() }.filter { it !in rest.map(Int::toString) } ?: listOf(first)
    }

    private fun twice(x: Int): Int = x * 2

    companion object {
        const val LIMIT = 10
    }
}

data class Point(val x: Int, val y: Int)

sealed class Shape

enum class Level { LOW, HIGH, }

interface Visitor {
    fun visit(point: Point)
}

object Registry : Visitor {
    override fun visit(point: Point) = Unit
}
