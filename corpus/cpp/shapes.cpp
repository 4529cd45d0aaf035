// Shapes. delete shape in a comment is nothing.
#include <memory>
#include <vector>

namespace geometry::shapes {

enum class Kind : int { Circle, Square, };

template <typename T, int N = 3>
class Ring {
 public:
  explicit Ring(T first) : first_(first) {}
  virtual ~Ring() = default;
  virtual T area() const = 0;
  static int count;

 protected:
  T first_;
  std::vector<std::unique_ptr<T>> rest_;
};

class Shape : public Ring<double> {
 public:
  Shape(double radius) : Ring(radius) {}
  double area() const override { return first_ * first_; }
  Shape(const Shape &) = delete;

 private:
  const char *name_ = "delete shape";
};

template <typename T>
T largest(const std::vector<T> &items) {
  T best = items.front();
  for (const auto &item : items) {
    if (item > best) best = item;
  }
  return best;
}

void release(Shape *shape, Shape *other, int *numbers) {
  if (shape != nullptr) delete shape;
  if (shape != nullptr) {
    delete shape;
  }
  if (shape != nullptr) delete other;
  if (shape) { delete shape; } else { shape = nullptr; }
  delete[] numbers;
}

int run(int argc, char **argv) {
  auto made = std::make_unique<Shape>(1.0);
  auto raw = new Shape(2.0 /* radius */);
  auto block = new int[3];
  std::vector<int> v{1, 2, 3,};
  try {
    release(raw, made.get(), block);
  } catch (const std::exception &error) {
    throw;
  } catch (...) {
    return static_cast<int>(v.size());
  }
  auto doubled = [&](int x) -> int { return x * 2; };
  switch (argc) {
    case 1:
      run(0, argv);
      break;
    default:
      std::move(made);
  }
  std::cout << "naïve" << doubled(argc) << std::endl;
  return argc == argc ? 0 : 1;
}

}  // namespace geometry::shapes

using geometry::shapes::Shape;
constexpr int kLimit = 10;
