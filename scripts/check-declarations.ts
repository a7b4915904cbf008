// Checks that the types of each entry can be read by whoever has only what the package requires: a declaration may name an
// optional peer, or an entry of another package that needs one, or a module of Node, only where the entry's own code imports
// it too.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { libraryPackages } from './workspace-packages.ts'

const problems: string[] = []
/** Entries whose types need an optional peer, with those peers. A package comes after those that it imports. */
const demanding = new Map<string, Set<string>>()
/** Packages for Node as a whole: what their entries load of Node, they load when it is needed. */
const needsNode = new Set(['@homeward/agent-runtime'])
for (const { name, folder, imports, optionalPeers, entries } of libraryPackages()) {
  const isRequired = (peer: string) => imports.includes(peer) && !optionalPeers.includes(peer)
  for (const { specifier, output } of entries) {
    const code = importsOf(join(folder, output))
    const types = importsOf(join(folder, output.replace(/\.js$/, '.d.ts')))
    const ofNode = [...types].find((name) => name.startsWith('node:'))
    if (ofNode && !needsNode.has(name) && ![...code].some((imported) => imported.startsWith('node:'))) {
      problems.push(`${specifier}: its types need ${ofNode}, and its code runs without Node`)
    }
    for (const needed of [...optionalPeers, ...demanding.keys()]) {
      // what a package requires itself is there
      const peers = [...(demanding.get(needed) ?? [needed])].filter((peer) => !isRequired(peer))
      if (!types.has(needed) || peers.length === 0) continue
      demanding.set(specifier, new Set([...(demanding.get(specifier) ?? []), ...peers]))
      if (!code.has(needed)) problems.push(`${specifier}: its types need ${needed}, which may not be there`)
    }
  }
}

/** Packages that a built file imports. Chunks beside it count: they are part of it. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>()
  if (seen.has(file)) return found
  seen.add(file)
  // What is imported when it is needed may be missing; a declaration has no such import.
  const text = readFileSync(file, 'utf8')
  const statics = file.endsWith('.js') ? text.replaceAll(/\bimport\(/g, 'load(') : text
  for (const { fileName: name } of ts.preProcessFile(statics).importedFiles) {
    if (name.startsWith('.')) {
      const target = file.endsWith('.d.ts') ? name.replace(/\.js$/, '.d.ts') : name
      for (const more of importsOf(join(file, '..', target), seen)) found.add(more)
    } else found.add(name).add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  }
  return found
}

for (const problem of problems) console.error(problem)
process.exit(problems.length === 0 ? 0 : 1)
