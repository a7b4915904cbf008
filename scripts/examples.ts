import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordExamples } from './examples/record-examples.ts'
import { workspaceFolder } from './workspace-packages.ts'

// Records an example of every operation from the real handlers; `npm run reference` shows them.
for (const [path, text] of await recordExamples()) {
  writeFileSync(join(workspaceFolder, path), text)
  console.log(`wrote ${path}`)
}
