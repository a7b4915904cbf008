import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const namespace = 'names-of-commonjs'

/**
 * Gives `import()` of a CommonJS package the names that Node gives it. esbuild alone gives such a chunk a default export
 * only, so that `const { Ajv } = await import('ajv')` would find nothing.
 *
 * @param isBundled whether a package becomes part of the build
 */
export function namesOfCommonJs(isBundled: (specifier: string) => boolean): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === namespace || !isBundled(path)) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: namespace })
        if (found.external || found.errors.length > 0 || !(await isCommonJs(found.path))) return undefined
        return { path: found.path, namespace }
      })
      build.onLoad({ filter: /./, namespace }, async ({ path }) => {
        const loaded = (await import(pathToFileURL(path).href)) as object
        const names = Object.keys(loaded).filter(
          (name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default',
        )
        const contents = [
          `const loaded = require(${JSON.stringify(path)})`,
          'export default loaded',
          ...names.map((name, at) => `const name${at} = loaded.${name}\nexport { name${at} as ${name} }`),
        ].join('\n')
        return { contents, resolveDir: dirname(path), loader: 'js' }
      })
    },
  }
}

/** As Node decides it: by the ending, then by the package that the file lies in. */
async function isCommonJs(path: string): Promise<boolean> {
  if (extname(path) !== '.js') return extname(path) === '.cjs'
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    if (text !== undefined) return (JSON.parse(text) as { type?: string }).type !== 'module'
  }
  return true
}
