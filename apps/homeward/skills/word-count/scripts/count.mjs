// Reads {"text"} or {"file"} as JSON from standard input and writes the counts as JSON.
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'

const { text, file, top = 5 } = JSON.parse(await readAll(process.stdin))
const content = text ?? (file === undefined ? '' : await readFile(file, 'utf8'))
const words = content.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? []

const counts = new Map()
for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
const frequent = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, top)

console.log(
  JSON.stringify({
    words: words.length,
    lines: content === '' ? 0 : content.split('\n').length,
    characters: [...content].length,
    frequent: frequent.map(([word, count]) => ({ word, count })),
  }),
)
