import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { toTextPage } from './outside-link.ts'

/**
 * Writes what is no page: the icon, the picture that other sites show beside a link, every page as Markdown beside its HTML, the files that pages link to,
 * and `llms.txt`, a list of them, for programs that read documentation (https://llmstxt.org).
 */
export function writeTextPages(
  docs: string,
  out: string,
  sidebar: readonly DefaultTheme.SidebarItem[],
): void {
  cpSync(join(docs, '../apps/pages/src/shell/icon.svg'), join(out, 'icon.svg'))
  cpSync(join(docs, 'guides/images/search.png'), join(out, 'social.png'))
  for (const file of globSync('**/*.{json,yml,png}', { cwd: docs })) cpSync(join(docs, file), join(out, file))
  for (const file of globSync('**/*.md', { cwd: docs })) {
    const page = join(out, file.replace(/README\.md$/, 'index.md'))
    mkdirSync(dirname(page), { recursive: true })
    writeFileSync(page, toTextPage(readFileSync(join(docs, file), 'utf8'), file))
  }
  const sections = sidebar.map(({ text, items = [] }) => {
    const lines = items.map(({ text: title, link = '' }) => {
      const path = link.endsWith('/') ? `${link}index.md` : `${link}.md`
      return `- [${title ?? ''}](${path})${aboutOf(join(docs, path.replace(/index\.md$/, 'README.md')))}`
    })
    return [`## ${text ?? ''}`, '', ...lines].join('\n')
  })
  const head =
    '# Homeward\n\n> Search and fetch files from machines that your server cannot reach, and let AI agents do it.'
  writeFileSync(join(out, 'llms.txt'), `${[head, ...sections].join('\n\n')}\n`)
}

/** The first sentence below the title of a page. */
function aboutOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll(/^<!--[^]*?-->\n/gm, '')
  const [, first] = /^# .+\n+([A-Z][^]*?[.:])(?=\s)/m.exec(text) ?? []
  return first === undefined || first.length > 300
    ? ''
    : `: ${first.replaceAll(/\s+/g, ' ').replace(/:$/, '.')}`
}
