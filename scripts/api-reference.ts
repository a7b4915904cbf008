import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiIndex, apiPages } from './reference/api-pages.ts'
import { libraryPackages, workspaceFolder } from './workspace-packages.ts'

// Writes docs/reference/api, one page for each entry of each package. The site shows it; git ignores it.
const folder = join(workspaceFolder, 'docs/reference/api')
const packages = libraryPackages()
const pages = apiPages(packages)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { file, text } of pages) writeFileSync(join(folder, file), text)
writeFileSync(join(folder, 'README.md'), apiIndex(pages, packages))
console.log(`wrote ${String(pages.length)} pages to docs/reference/api`)
