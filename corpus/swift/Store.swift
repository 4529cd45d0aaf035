import Foundation

// A store. file.close() in a comment is no call.
protocol Closing {
    func close()
    var isOpen: Bool { get }
}

@objc public final class Store: Base, Closing {
    private let file: File?
    static var shared: Store?
    weak var delegate: StoreDelegate?
    lazy var label = "file.close()"
    var isOpen: Bool { file != nil }

    init(file: File?, other: File? = nil) {
        self.file = file
        super.init()
    }

    deinit { close() }

    override func close() {
        if let file = file { file.close() }
        if file != nil { file!.close() }
        if file != nil { other!.close() }
        file?.close(/* now */)
    }

    @discardableResult
    func load(path: String, _ limit: Int = 10, rest: Int...) throws -> [String] {
        guard let url = URL(string: path) else { return [] }
        guard limit > 0 else { throw StoreError.empty }
        for n in 0..<limit { items.append("\(n) of \(path.count)") }
        for item in items where item.isEmpty { log(item) }
        while count > limit { count -= 1 }
        do {
            try fetch(url, timeout: 5)
        } catch StoreError.empty {
            log("größer")
        } catch {
            throw error
        }
        switch limit {
        case 1, 2:
            log("few")
        case let n where n > 9:
            log("many")
        default:
            break
        }
        defer { log("done") }
        let twice = { (x: Int) -> Int in return x * 2 }
        let names = items.map { $0.uppercased() }.filter { name in name == name }
        let sizes = ["eins": 1, "zwei": 2,]
        let same = items as? [String] ?? names
        return try! sort(same, by: twice, limit > 1 ? sizes : [:])
    }
}

enum Level: Int {
    case low = 1, high
    case other(String)
}

struct Point { let x: Int; var y: Int }

extension Point: Equatable {}

typealias Row = [String: Int]
