package shop.store

import java.io.{Closeable, File => JFile}
import scala.collection.mutable._

/** A store. link.close() in a comment is no call. */
@deprecated("use Vault", "2.0")
class Store[T](private val link: Link, var other: Link = null)(implicit log: Log) extends Base(link) with Closeable {
  private val items = new ListBuffer[String]()
  lazy val label: String = "link.close()"
  var count = 0

  override def close(): Unit = {
    if (link != null) link.close()
    if (link != null) {
      link.close()
    }
    if (link != null) other.close()
    if (link == null) log("zu") else link.close(/* now */)
  }

  def load(path: String, limit: Int = 10): List[String] = {
    for (n <- 0 until limit) items.append(s"$n of ${path.length}")
    for {
      item <- items
      upper = item.toUpperCase
      if upper == upper
    } yield upper
    while (count > limit) count -= 1
    try {
      fetch(path, timeout = 5)
    } catch {
      case error: IOException => throw new IllegalStateException("größer", error)
      case _: RuntimeException | _: Error => log("other")
    } finally {
      log("done")
    }
    val kind = limit match {
      case 1 | 2 => "few"
      case n if n > 9 => "many"
      case _ => "some"
    }
    val twice = (x: Int) => x * 2
    val (first, second) = (items.head, kind)
    items.map(_.trim).filter { item => item != first }.toList :: Nil
  }

  private def half(x: Int) = x / 2
}

case class Point(x: Int, y: Int)

sealed trait Shape { def area: Double }

object Store extends App {
  type Row = Map[String, Int]
  implicit val log: Log = Log("std")
  println(Point(1, 2) == Point(1, 2))
}
