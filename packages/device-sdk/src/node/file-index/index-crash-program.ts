// Keeps an index, and changes files below its root, until it is killed: the program of index-crash.test.ts.
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createFileIndex } from './create-file-index.ts'

const [root = '', file = '', seed = '1'] = process.argv.slice(2)
const index = createFileIndex({ roots: [root], path: file, intervalMs: 50, contents: {} })
let state = Number(seed)
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return (state >> 8) % below
}
const folderAt = (at: number) => path.join(root, `f${at % 5}`, `g${at % 3}`)

async function change(): Promise<void> {
  const folder = folderAt(random(15))
  const what = random(10)
  if (what === 0) return rm(path.dirname(folder), { recursive: true, force: true })
  if (what === 1) return rename(folder, `${folderAt(random(15))}-moved-${random(4)}`)
  await mkdir(folder, { recursive: true })
  if (what < 4) return rm(path.join(folder, `hit ${random(20)}`), { force: true })
  const target = path.join(folder, `hit ${random(20)}`)
  await writeFile(target, `${'x'.repeat(random(9))} word ${random(50)}\n`.repeat(1 + random(9)))
  // a file that has just changed is not read into the index yet
  const seconds = 1_000_000_000 + random(500_000_000)
  return utimes(target, seconds, seconds)
}

process.stdout.write('ready\n')
for (;;) {
  for (let count = 0; count < 20; count += 1) await change().catch(() => {}) // the other folder may be gone or full
  await index.look()
}
