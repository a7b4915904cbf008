import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/** An import of one file by another one, in another folder. */
interface FolderImport {
  /** The folders: those directly in the one that was read. `.` for the files beside them. */
  readonly from: string
  readonly to: string
  /** Who imports what, for a person to find it. */
  readonly where: string
}

const specifiers = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Reads which folder imports which, types included. Tests and their helpers do not count. */
export function readFolderImports(source: string): readonly FolderImport[] {
  const top = join(workspaceFolder, source)
  const files = readdirSync(top, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$|\/testing\//.test(file))
  return files.flatMap((file) => {
    const imported = readFileSync(join(top, file), 'utf8').matchAll(specifiers)
    return [...imported].flatMap(([, specifier = '']) => {
      const target = relative(top, resolve(top, dirname(file), specifier))
        .split(sep)
        .join('/')
      const [from, to] = [folderOf(file), folderOf(target)]
      return from === to || to === '..' ? [] : [{ from, to, where: `${file} → ${target}` }]
    })
  })
}

const folderOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')
