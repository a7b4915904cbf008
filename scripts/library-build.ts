import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { defineConfig } from 'tsup'
import { readPackage } from './workspace-packages.ts'

/**
 * How every package is built: one ES module for each entry of its `exports` map, shared code in chunks, types and
 * source maps beside. What the package depends on stays an import.
 *
 * @param folder - the package's folder
 */
export function libraryBuild(folder: string) {
  const { entries, imports } = readPackage(folder)
  // dist/client/index.js is the entry client/index
  const entry = Object.fromEntries(
    entries.map(({ source, output }) => [output.slice('dist/'.length, -'.js'.length), source]),
  )
  // threads start from a file of their own, next to the chunks
  const workers = globSync('src/**/*-worker.ts', { cwd: folder })
  return defineConfig({
    entry: { ...entry, ...Object.fromEntries(workers.map((source) => [basename(source, '.ts'), source])) },
    external: [/^node:/, ...imports.flatMap((name) => [name, new RegExp(`^${name}/`)])],
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    // some of Node's modules, node:sqlite among them, have no other name
    removeNodeProtocol: false,
    splitting: true,
    sourcemap: true,
    esbuildOptions(options) {
      options.sourcesContent = false // the archives hold `src`: maps lead there, once is enough
    },
    clean: true,
    silent: true,
    // types are made against what the other packages' builds give, as a consumer sees them, not against their source
    // and stand on their own under any `lib`: what can be closed has a `Symbol.asyncDispose`
    dts: {
      entry,
      compilerOptions: { customConditions: null },
      banner: '/// <reference lib="esnext.disposable" />',
    },
  })
}
