import { basename, join } from 'node:path'
import { defineConfig } from 'tsup'
import { namesOfCommonJs } from './names-of-commonjs.ts'
import { readPackage, workspaceFolder } from './workspace-packages.ts'

/**
 * What a program's archive leaves to npm: packages that find files of their own beside their code, and those that are
 * optional. Everything else is part of the build, so that `npx homeward` installs a few packages and starts fast.
 */
export const installedBesides = ['pg', 'graphile-worker', 'quickjs-wasi'] as const
export const neverBundled = [...installedBesides, 'pg-native', '@modelcontextprotocol/sdk']

const bundled = new RegExp(`^(?!node:|(?:${neverBundled.join('|')})(?:/|$))`)
export const commonJsNames = namesOfCommonJs((specifier) => bundled.test(specifier))

/** Modules of CommonJS ask Node for others by it. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/**
 * How a package that is run, not imported, is built: one ES module for each program, with the source of every other
 * package of the workspace and with what they depend on. What a command does not need stays in chunks of its own.
 *
 * @param folder - the package's folder
 * @param threads - sources of the workspace that start as threads or processes, from files of their own next to the chunks
 */
export function programBuild(folder: string, threads: readonly string[] = []) {
  const { programs } = readPackage(folder)
  const names = programs.map((path) => path.replace(/^(?:\.\/)?dist\//, '').replace(/\.js$/, ''))
  return defineConfig({
    entry: {
      ...Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
      ...Object.fromEntries(
        threads.map((source) => [`chunks/${basename(source, '.ts')}`, join(workspaceFolder, source)]),
      ),
    },
    noExternal: [bundled],
    external: [/^node:/, ...neverBundled.flatMap((name) => [name, new RegExp(`^${name}/`)])],
    format: 'esm',
    target: 'node22',
    platform: 'node',
    removeNodeProtocol: false,
    esbuildPlugins: [commonJsNames],
    splitting: true,
    sourcemap: false,
    metafile: true,
    clean: true,
    silent: true,
    dts: false,
    banner: { js: requireBanner },
    esbuildOptions(options) {
      options.conditions = ['@homeward/source']
      options.chunkNames = 'chunks/[name]-[hash]'
      options.legalComments = 'none' // LICENSES.md holds them
    },
  })
}
