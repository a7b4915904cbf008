import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackedPackage } from './pack-all.ts'

const required = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json']

/** What an archive lacks, or holds and should not; empty when it is ready to be published. */
export async function problemsOfPack(packed: PackedPackage): Promise<string[]> {
  const { name, version, files, folder, entries } = packed
  const has = new Set(files)
  const built = entries.flatMap(({ output }) => [output, output.replace(/\.js$/, '.d.ts')])
  const missing = [...required, ...built].filter((path) => !has.has(path))
  const unwanted = files.filter((path) => /\.test(-d)?\.tsx?$|(^|\/)(node_modules|\.env)/.test(path))
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8').catch(() => '')
  return [
    ...missing.map((path) => `${name}: the archive lacks ${path}`),
    ...unwanted.map((path) => `${name}: the archive must not hold ${path}`),
    ...(changelog.includes(`\n## ${version}\n`) ? [] : [`${name}: CHANGELOG.md says nothing of ${version}`]),
  ]
}
