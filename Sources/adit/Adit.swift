@main struct Adit {
  static func main() {}
}
