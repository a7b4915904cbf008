import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const filesInFolder = 100

/** Makes small files, 100 to a folder, one in a thousand of them with `needle` in its name. */
export async function makeTree(root: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += filesInFolder) {
    const folder = join(root, `group-${Math.floor(start / 5000)}`, `folder-${start / filesInFolder}`)
    await mkdir(folder, { recursive: true })
    const size = Math.min(filesInFolder, count - start)
    await Promise.all(
      Array.from({ length: size }, (_, index) => writeFile(join(folder, nameOf(start + index)), 'x')),
    )
  }
}

const nameOf = (index: number) => (index % 1000 === 0 ? `a Needle ${index}.txt` : `report ${index}.txt`)
