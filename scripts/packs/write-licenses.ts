import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workspaceFolder } from '../workspace-packages.ts'
import { lockedClosure } from './locked-closure.ts'

/** What the build reads, as tsup writes it down. */
interface Metafile {
  readonly inputs: Readonly<Record<string, object>>
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
}

/** Of what the pages declare, what only builds them. */
export const pageBuilders: ReadonlySet<string> = new Set(['vite', '@vitejs/plugin-react'])

/**
 * Writes `dist/LICENSES.md`: the license of every package that is part of a program's build or of the pages. Removes the
 * list of the build's inputs, which nobody needs who installs it.
 */
export async function writeLicenses(folder: string, hasPages: boolean): Promise<void> {
  const metafile = join(folder, 'dist/metafile-esm.json')
  const { inputs } = JSON.parse(await readFile(metafile, 'utf8')) as Metafile
  const files = Object.keys(inputs).filter((path) => !path.includes(':')) // what plugins made is no file
  const built = files.flatMap((path) => {
    const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    return found === undefined ? [] : [join(folder, found)]
  })
  const pages = hasPages ? await lockedClosure('apps/pages', (name) => !pageBuilders.has(name)) : []
  const folders = [...new Set([...built, ...pages.map((path) => join(workspaceFolder, path))])]
  const texts = await Promise.all(folders.map(describe))
  const intro =
    '# Licenses\n\nThe build of this package holds code of the packages below, under these licenses.\n'
  await writeFile(join(folder, 'dist/LICENSES.md'), [intro, ...new Set(texts.toSorted())].join('\n'))
  await rm(metafile)
}

async function describe(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Manifest
  const file = (await readdir(folder)).find((each) => /^(?:licen[cs]e|copying)/i.test(each))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  const quoted = text === '' ? '' : `\n\`\`\`text\n${text.replaceAll('```', "'''").trim()}\n\`\`\`\n`
  return `## ${name} ${version}\n\nLicense: ${license ?? 'see below'}\n${quoted}`
}
