import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The folder of this package: also where the build has put this module into another folder of it. */
export const packageFolder = findPackage(import.meta.dirname)

/** The folder of the repository, when the package runs from its source. Undefined for an installed package. */
export const repositoryFolder = import.meta.filename.endsWith('.ts')
  ? resolve(packageFolder, '../..')
  : undefined

/** Where Node keeps compiled code. Whoever may write there may change the code, too. */
export const compileCacheFolder = join(
  repositoryFolder ?? resolve(packageFolder, '../..'),
  'node_modules/.cache/homeward',
)

function findPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  return findPackage(dirname(folder))
}
