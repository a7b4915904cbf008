/** Bytes that this process has in use once the garbage is gone; it needs `--expose-gc`. */
export async function memoryInUse(): Promise<{ heapBytes: number; rssBytes: number }> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { heapUsed, rss } = process.memoryUsage()
  return { heapBytes: heapUsed, rssBytes: rss }
}
