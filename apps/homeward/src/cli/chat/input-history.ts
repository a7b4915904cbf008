import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '@homeward/kit/node'

/** Most inputs that are stored, and most characters of one. */
const maxEntries = 500
const maxLength = 10_000

/** What a person typed in earlier chats, oldest first. */
export interface InputHistory {
  readonly entries: readonly string[]
  /** Stores one more. A history that cannot be written is no reason to stop a chat. */
  add(entry: string): Promise<void>
}

/** Reads the history. Its file holds one JSON string per line and is readable by its owner only. */
export async function openInputHistory(path: string): Promise<InputHistory> {
  let entries = parseEntries(await readFile(path, 'utf8').catch(() => ''))
  let writing = Promise.resolve()
  return {
    get entries() {
      return entries
    },
    add(entry) {
      if (entry.length > maxLength || entry === entries.at(-1)) return writing
      entries = [...entries, entry].slice(-maxEntries)
      const text = entries.map((each) => `${JSON.stringify(each)}\n`).join('')
      writing = writing.then(() => write(path, text)).catch(() => undefined)
      return writing
    },
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await replaceFile(path, text, { mode: 0o600 })
}

function parseEntries(text: string): readonly string[] {
  const entries = text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line)
      return typeof entry === 'string' ? [entry] : []
    } catch {
      return [] // cut off, or of another version
    }
  })
  return entries.slice(-maxEntries)
}
