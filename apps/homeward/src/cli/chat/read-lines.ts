import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Lines that arrive this close together were pasted. */
const pasteMs = 40

/**
 * Reads inputs from a terminal without a cursor: one for each line. Lines that are pasted together are one input, and so
 * is a line that ends with a backslash with the next one.
 *
 * @returns stops the reading
 */
export function readLines(input: Readable, onInput: (typed: string) => void, onEnd: () => void): () => void {
  const reader = createInterface({ input, terminal: false })
  let lines: string[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    if (lines.length === 0) return
    const typed = lines.join('\n')
    lines = []
    onInput(typed)
  }
  reader.on('line', (line) => {
    clearTimeout(timer)
    const isContinued = line.endsWith('\\')
    lines.push(isContinued ? line.slice(0, -1) : line)
    if (!isContinued) timer = setTimeout(flush, pasteMs)
  })
  reader.on('close', () => {
    flush()
    onEnd()
  })
  return () => {
    clearTimeout(timer)
    lines = []
    reader.close()
  }
}
