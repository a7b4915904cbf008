import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { workspaceFolder, workspacePackages, type WorkspacePackage } from '../workspace-packages.ts'

/** A build that need not be made again. */
interface BuildRecord {
  /** Whether `dist` is, to the byte, the last build, and everything that it was made of is as it was. */
  isCurrent(): boolean
  /** Records that `dist` was just built. */
  write(): void
  forget(): void
}

/** Where the records are: beside other caches, as `dist` is published whole. */
const folder = join(workspaceFolder, 'node_modules/.cache/homeward-builds')

/** What every build depends on: how builds are made, and the versions of everything else. */
const shared = ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json'].map((name) =>
  join(workspaceFolder, name),
)

/** Tests of packed packages and `npm run check` build the same packages: the second one finds the build of the first. */
export function buildRecord(one: WorkspacePackage): BuildRecord {
  const file = join(folder, `${one.name.replace('/', '-')}.json`)
  const inputs = digest([...shared, ...madeOf(one)])
  const current = () => JSON.stringify({ node: process.version, inputs, dist: digest([distOf(one)]) })
  return {
    isCurrent: () => readRecord(file) === current(),
    write() {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, current())
    },
    forget: () => rmSync(file, { force: true }),
  }
}

const distOf = ({ folder }: WorkspacePackage) => join(folder, 'dist')

/** The sources of a build: a program holds those of the whole workspace; a library is built against the types of others. */
function madeOf(one: WorkspacePackage): string[] {
  const all = workspacePackages()
  if (one.programs.length > 0) return [join(workspaceFolder, 'docs'), ...all.map(({ folder }) => folder)]
  const imported = all.filter(({ name }) => one.imports.includes(name))
  return [one.folder, ...imported.flatMap((each) => [...madeOf(each), distOf(each)])]
}

/** A hash over what files are called and what they hold: these, and those of these folders but their `dist`. */
function digest(paths: readonly string[]): string {
  const hash = createHash('sha256')
  const addFile = (path: string) => {
    const content = readFileSync(path)
    hash.update(`${relative(workspaceFolder, path)}\n${content.length}\n`).update(content)
  }
  const addFolder = (path: string) => {
    const entries = readdirSync(path, { withFileTypes: true })
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const inner = join(path, entry.name)
      if (entry.isFile()) addFile(inner)
      else if (entry.isDirectory() && !['dist', 'node_modules'].includes(entry.name)) addFolder(inner)
    }
  }
  for (const path of new Set(paths)) {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) addFolder(path)
    else if (found?.isFile()) addFile(path)
  }
  return hash.digest('hex')
}

function readRecord(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // it was never built here
  }
}
