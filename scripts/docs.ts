import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiIndex, apiPages } from './reference/api-pages.ts'
import { runStep } from './run-step.ts'
import { libraryPackages, workspaceFolder } from './workspace-packages.ts'

// Builds the site from docs/ and from the API of every package. A link that leads nowhere fails the build.
const folder = join(workspaceFolder, 'docs/reference/api')
const site = join(workspaceFolder, 'site')
const packages = libraryPackages()
const pages = apiPages(packages)
mkdirSync(folder, { recursive: true })
try {
  for (const { file, text } of pages) writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'README.md'), apiIndex(pages, packages))
  const steps: readonly string[][] = [
    ['ci', '--no-audit', '--no-fund'],
    ['run', 'build'],
  ]
  for (const args of steps) process.exitCode ||= await runStep('npm', args, site)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
