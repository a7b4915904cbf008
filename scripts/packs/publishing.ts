import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceFolder } from '../workspace-packages.ts'

/** `publishing` of the root `package.json`: what the manifests of all published packages say alike. */
export interface Publishing {
  /** Address of the repository on GitHub or GitLab: `https://github.com/owner/name`. Empty until there is one. */
  readonly repository: string
  /** Address of the site. Empty for the package's folder in the repository. */
  readonly homepage: string
  readonly keywords: readonly string[]
}

/**
 * Reads the setting.
 *
 * @throws {Error} when an address is none.
 */
export function readPublishing(): Publishing {
  const manifest = JSON.parse(readFileSync(join(workspaceFolder, 'package.json'), 'utf8')) as {
    publishing: Publishing
  }
  for (const name of ['repository', 'homepage'] as const) {
    const address = manifest.publishing[name]
    if (address === '' || /^https:\/\/[^\s/]+(?:\/[^\s?#]+)?$/.test(address)) continue
    throw new Error(
      `Reading "publishing.${name}" of package.json failed: it must be an https address, or empty.`,
    )
  }
  const { repository, ...rest } = manifest.publishing
  return { ...rest, repository: repository.replace(/(?:\.git)?\/*$/, '') }
}

/** What a manifest gets. @param directory the package's folder, from the repository's */
export function originOf({ repository, homepage, keywords }: Publishing, directory: string): object {
  const page = homepage === '' && repository !== '' ? `${repository}/tree/HEAD/${directory}#readme` : homepage
  return {
    ...(repository !== '' && {
      repository: { type: 'git', url: `git+${repository}.git`, directory },
      bugs: { url: `${repository}/issues` },
    }),
    ...(page !== '' && { homepage: page }),
    keywords,
  }
}

/**
 * Leads relative links of a README into the repository: beside a package on npm there is nothing to lead to. Until there is a
 * repository, they become text.
 */
export function withAbsoluteLinks(markdown: string, { repository }: Publishing, directory: string): string {
  return markdown.replaceAll(/\[([^[\]]+)\]\((\.{1,2}\/[^)\s]+)\)/g, (_link, text: string, path: string) => {
    if (repository === '') return text
    const base = `file:///${directory}/`
    return `[${text}](${repository}/blob/HEAD${new URL(path, base).href.slice('file://'.length)})`
  })
}
