import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { frontPage } from './front-page.ts'
import { docsFolder, homepage, outsideLink, repository } from './outside-link.ts'
import { writeTextPages } from './text-pages.ts'

/** Pages import Vue, and lie outside this folder, where nothing is installed. */
const findVue = {
  name: 'find-vue',
  enforce: 'pre' as const,
  resolveId(id: string, _importer: string | undefined, { ssr }: { readonly ssr?: boolean }) {
    if (id === 'mermaid' && ssr === true) return { id, external: true }
    if (id !== 'vue' && id !== 'vue/server-renderer') return undefined
    if (ssr === true) return { id, external: true }
    return resolve(import.meta.dirname, '../node_modules/vue/dist/vue.runtime.esm-bundler.js')
  },
}

/** The sidebar: role pages first. `docs/README.md` has the same order. */
const sidebar: DefaultTheme.SidebarItem[] = [
  section('Start', [
    'guides/concepts',
    'getting-started/quickstart',
    'guides/templates',
    'guides/recipes',
    'guides/configuration',
  ]),
  section('Build', [
    'getting-started/integrator',
    'getting-started/device-author',
    'getting-started/device-in-any-language',
    'getting-started/dashboard-client',
    'getting-started/agent-builder',
    'getting-started/skill-author',
  ]),
  section('Devices', [
    'guides/enrollment',
    'guides/device-install',
    'guides/device-search',
    'guides/what-leaves-this-device',
    'guides/delivery',
    'guides/conformance',
    'guides/simulation',
    'guides/adapters',
  ]),
  section('Agents', [
    'guides/agents-in-code',
    'guides/tools',
    'guides/runs',
    'guides/serve-agents',
    'guides/models-and-providers',
    'guides/graphs',
    'guides/guards',
    'guides/questions',
    'guides/undo',
    'guides/programs',
    'guides/evals',
    'guides/compare-agents',
    'guides/follow-a-run',
    'guides/documents',
    'guides/use-chat',
    'guides/client-tools',
    'guides/ag-ui',
    'guides/durable-work',
    'guides/work-that-waits',
    'guides/events',
    'guides/mcp-server',
    'guides/openai-compatible',
    'guides/runtime-adapters',
  ]),
  section('Messengers', [
    'channels/telegram',
    'channels/slack',
    'channels/discord',
    'channels/viber',
    'channels/bridge',
    'channels/your-own',
    'channels/access',
    'channels/sending',
    'channels/files',
  ]),
  section('Run it', [
    'guides/at-home',
    'guides/command-line',
    'guides/deploy',
    'guides/sign-in',
    'guides/operations',
    'guides/scaling',
    'guides/files-and-sessions',
    'guides/tokens-and-audit',
    'guides/many-users',
    'guides/family-or-team',
    'guides/webhooks',
    'guides/dashboard',
    'guides/security',
    'guides/agent-security',
    'guides/versioning',
    'guides/upgrades',
    'guides/troubleshooting',
  ]),
  section('HTTP API: device cloud', ['reference/device-cloud', ...subjectPages('cloud')]),
  section('HTTP API: agent platform', ['reference/agent-platform', ...subjectPages('platform')]),
  section('Reference', ['reference/errors', 'reference/events', 'reference/skills', 'guides/bundling']),
  section('API of the packages', ['reference/api/README', ...apiPages()]),
  section('Project', [
    'guides/compare',
    'benchmarks',
    'reference/failure-modes',
    'reference/mutation-testing',
    'project/walks',
    'decisions/README',
  ]),
]

function section(text: string, pages: readonly string[]): DefaultTheme.SidebarItem {
  const items = pages.map((page) => {
    const title = /^reference\/(?:cloud|platform)\//.test(page)
      ? titleOf(page).replace(/^.*?: /, '')
      : titleOf(page)
    return { text: title, link: `/${page.replace(/README$/, '')}` }
  })
  return { text, items, collapsed: text !== 'Start' && text !== 'Build' }
}

/** The pages of an HTTP API, in the order of its index. */
function subjectPages(folder: 'cloud' | 'platform'): string[] {
  const index = readFileSync(
    resolve(docsFolder, `reference/${folder === 'cloud' ? 'device-cloud' : 'agent-platform'}.md`),
    'utf8',
  )
  const links = index.matchAll(/\[All about [^\]]+\]\((\w+\/[\w-]+)\.md\)/g)
  return [...links].map(([, page = '']) => `reference/${page}`)
}

/** Pages that `npm run docs` writes before: one for each entry of each package. */
function apiPages(): string[] {
  const files = readdirSync(resolve(docsFolder, 'reference/api')).filter((file) => file !== 'README.md')
  return files.map((file) => `reference/api/${file.replace(/\.md$/, '')}`)
}

function titleOf(page: string): string {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(resolve(docsFolder, `${page}.md`), 'utf8')) ?? []
  return title.replaceAll('`', '')
}

/** Renders a link that leads nowhere as its text. The renderer leaves out hidden tokens. */
function dropLink(tokens: readonly { readonly type: string; hidden: boolean }[], at: number): string {
  const end = tokens.find(({ type }, index) => index > at && type === 'link_close')
  if (end !== undefined) end.hidden = true
  return ''
}

export default defineConfig({
  title: 'Homeward',
  description: 'Search and fetch files from machines that your server cannot reach, and let AI agents do it.',
  lang: 'en',
  head: [
    [
      'style',
      {},
      '.dark .on-light, html:not(.dark) .on-dark { display: none } .VPHome h1 { margin-top: 3rem }',
    ],
    ['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }],
    ['meta', { property: 'og:title', content: 'Homeward' }],
    ['meta', { property: 'og:type', content: 'website' }],
    // Readers of this tag want a whole address.
    ...(homepage === undefined
      ? []
      : ([['meta', { property: 'og:image', content: `${homepage}/social.png` }]] as [
          string,
          { [name: string]: string },
        ][])),
  ],
  ...(homepage !== undefined && { sitemap: { hostname: homepage } }),
  transformPageData: frontPage,
  buildEnd: ({ outDir }) => writeTextPages(docsFolder, outDir, sidebar),
  srcDir: '../docs',
  outDir: './dist',
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  cleanUrls: true,
  vite: {
    plugins: [findVue],
    // The index of the search and the API page of the runtime: loaded when somebody opens them.
    build: { chunkSizeWarningLimit: 4096 },
  },
  markdown: {
    html: false,
    config(md) {
      // Notes for those who change a page: `html: false` would show them as text.
      md.core.ruler.before('normalize', 'drop-notes', (state) => {
        state.src = state.src.replaceAll(/^<!--[^]*?-->\n/gm, '')
      })
      // Vue would evaluate what stands in double braces.
      md.renderer.rules.text = (tokens, at) =>
        md.utils.escapeHtml(tokens[at]!.content).replaceAll('{{', '&#123;&#123;')
      md.renderer.rules.code_inline = (tokens, at) =>
        `<code v-pre>${md.utils.escapeHtml(tokens[at]!.content)}</code>`
      const fence = md.renderer.rules.fence!
      md.renderer.rules.fence = (...given) => {
        const { info, content } = given[0][given[1]]!
        if (info.trim() !== 'mermaid') return fence(...given)
        return `<pre class="mermaid" v-pre>${md.utils.escapeHtml(content)}</pre>`
      }
      // Pictures of the pages are there twice: the theme chooses.
      const image = md.renderer.rules.image!
      md.renderer.rules.image = (...given) => {
        const token = given[0][given[1]]!
        const source = token.attrGet('src') ?? ''
        if (!/^images\/[\w-]+\.png$/.test(source)) return image(...given)
        token.attrSet('class', 'on-light')
        const light = image(...given)
        token.attrSet('src', source.replace('.png', '-dark.png'))
        token.attrSet('class', 'on-dark')
        return light + image(...given)
      }
      const render =
        md.renderer.rules.link_open ??
        ((tokens, at, options, _, self) => self.renderToken(tokens, at, options))
      md.renderer.rules.link_open = (tokens, at, options, env: { relativePath?: string }, self) => {
        const token = tokens[at]!
        token.attrSet('href', (token.attrGet('href') ?? '').replace(/README(?:\.md)?(?=#|$)/, ''))
        const outside = outsideLink(token.attrGet('href') ?? '', env.relativePath ?? '')
        if (outside === undefined) return render(tokens, at, options, env, self)
        if (outside === '') return dropLink(tokens, at)
        token.attrSet('href', outside)
        return self.renderToken(tokens, at, options)
      }
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Quickstart', link: '/getting-started/quickstart' },
      { text: 'Guides', link: '/guides/concepts', activeMatch: '^/guides/' },
      { text: 'HTTP API', link: '/reference/device-cloud' },
      { text: 'Packages', link: '/reference/api/' },
      { text: 'Compare', link: '/guides/compare' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    ...(repository !== undefined && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
})
