/** Preloaded: makes a command believe that a person is at its terminal, but not the wrangler that it starts. */
if (/src[\\/]deploy[\\/]\w+\.ts$/.test(process.argv[1] ?? "")) {
  for (const stream of [process.stdin, process.stdout]) {
    Object.defineProperty(stream, "isTTY", { value: true });
  }
}
