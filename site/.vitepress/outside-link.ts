import { readFileSync } from 'node:fs'
import { dirname, posix, relative, resolve } from 'node:path'

/** The folder of the pages. */
export const docsFolder = resolve(import.meta.dirname, '../../docs')

/** `publishing` of the workspace. Addresses that are not set are undefined. */
export const { repository, homepage } = readAddresses()

function readAddresses(): {
  readonly repository?: string | undefined
  readonly homepage?: string | undefined
} {
  const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
    readonly publishing?: { readonly repository?: string; readonly homepage?: string }
  }
  const { repository: code, homepage: site } = manifest.publishing ?? {}
  return { repository: code?.replace(/^git\+|(?:\.git)?\/*$/g, '') || undefined, homepage: site || undefined }
}

/**
 * Leads a link of a page to a file outside `docs` into the repository.
 *
 * @returns undefined for all other links, and `''` if no repository is set: such a link becomes text
 */
export function outsideLink(href: string, page: string): string | undefined {
  if (/^[a-z]+:|^#|^\//.test(href)) return undefined
  const [path = '', part] = href.split('#')
  const target = relative(docsFolder, resolve(docsFolder, dirname(page), path))
  if (!target.startsWith('..')) return undefined
  if (repository === undefined) return ''
  const address = `${repository}/blob/HEAD/${posix.normalize(target.replace(/^(?:\.\.\/)+/, ''))}`
  return part === undefined ? address : `${address}#${part}`
}

/** A page as Markdown for readers of the site: names of files as the site has them, and no link that leads nowhere. */
export function toTextPage(markdown: string, page: string): string {
  return markdown.replaceAll(
    /(!?)\[([^[\]]*(?:\[[^\]]*\][^[\]]*)*)\]\(([^()\s]+)\)/g,
    (link: string, image: string, text: string, href: string) => {
      const outside = outsideLink(href, page)
      if (outside === undefined) return `${image}[${text}](${href.replace(/README\.md(?=#|$)/, 'index.md')})`
      return outside === '' ? text : `${image}[${text}](${outside})`
    },
  )
}
