import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referencePages } from './reference/reference-pages.ts'
import { workspaceFolder } from './workspace-packages.ts'

// Writes the pages of docs/reference from the contract and the comments in the source.
for (const [page, text] of await referencePages()) {
  writeFileSync(join(workspaceFolder, page), text)
  console.log(`wrote ${page}`)
}
