import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referencePages } from './reference/reference-pages.ts'
import { workspaceFolder } from './workspace-packages.ts'

// Writes the pages of docs/reference from the contract and the comments in the source. A subject that no longer exists has no page.
const pages = await referencePages()
for (const folder of ['platform', 'cloud']) {
  rmSync(join(workspaceFolder, 'docs/reference', folder), { recursive: true, force: true })
}
for (const [page, text] of pages) {
  mkdirSync(dirname(join(workspaceFolder, page)), { recursive: true })
  writeFileSync(join(workspaceFolder, page), text)
  console.log(`wrote ${page}`)
}
