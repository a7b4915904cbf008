import { readFile } from 'node:fs/promises'
import { join } from 'node:path/posix'
import ts from 'typescript'
import type { PackedPackage } from './pack-all.ts'

const required = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json', 'sbom.cdx.json']
/** The application also needs its pages, its documentation and its skills. */
const requiredOfPages = ['dist/pages/index.html', 'dist/docs.json.gz', 'skills/device-search/SKILL.md']

/** Tests, and what only they use: `src/testing` is for others where it is an entry, a folder `testing` further down is not. */
const ofTests = /\.test(-d)?\.tsx?$|^src\/(?!testing\/).*\/testing\//

/** What an archive lacks, or holds and should not; empty when it is ready to be published. */
export async function problemsOfPack(packed: PackedPackage): Promise<string[]> {
  const { name, version, files, folder, entries, programs, hasPages } = packed
  const has = new Set(files)
  const built = entries.flatMap(({ output }) => [output, output.replace(/\.js$/, '.d.ts')])
  const ofPrograms = programs.length > 0 ? ['dist/LICENSES.md', ...programs.map((path) => path.slice(2))] : []
  const missing = [...required, ...built, ...ofPrograms, ...(hasPages ? requiredOfPages : [])].filter(
    (path) => !has.has(path),
  )
  const unwanted = files.filter((path) => ofTests.test(path) || /(^|\/)(node_modules|\.env)/.test(path))
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8').catch(() => '')
  return [
    ...missing.map((path) => `${name}: the archive lacks ${path}`),
    ...(await danglingImports(packed)),
    ...(await danglingMaps(packed)),
    ...unwanted.map((path) => `${name}: the archive must not hold ${path}`),
    ...(changelog.includes(`\n## ${version}\n`) ? [] : [`${name}: CHANGELOG.md says nothing of ${version}`]),
  ]
}

/** Source maps hold no sources of their own: debuggers and stack traces read those that go along. */
async function danglingMaps({ name, files, folder }: PackedPackage): Promise<string[]> {
  const has = new Set(files)
  const found = files
    .filter((path) => path.endsWith('.map'))
    .map(async (path) => {
      const { sources } = JSON.parse(await readFile(join(folder, path), 'utf8')) as { sources: string[] }
      const missing = sources.filter((source) => !has.has(join(path, '..', source)))
      return missing.map((source) => `${name}: ${path} leads to ${source}, which the archive lacks`)
    })
  return (await Promise.all(found)).flat()
}

/** Sources go along for those who step into them or take them instead of the build: each has to find what it imports. */
async function danglingImports({ name, files, folder }: PackedPackage): Promise<string[]> {
  const has = new Set(files)
  const sources = files.filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
  const found = sources.map(async (path) => {
    const { importedFiles } = ts.preProcessFile(await readFile(join(folder, path), 'utf8'))
    const targets = importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    const missing = targets.filter(({ fileName }) => !has.has(join(path, '..', fileName)))
    return missing.map(({ fileName }) => `${name}: ${path} imports ${fileName}, which the archive lacks`)
  })
  return (await Promise.all(found)).flat()
}
