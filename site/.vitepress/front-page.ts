import type { PageData } from 'vitepress'

/** Puts a hero and three features above the table of contents on the front page. */
export function frontPage(page: PageData): void {
  if (page.relativePath !== 'README.md' && page.relativePath !== 'index.md') return
  page.frontmatter = {
    ...page.frontmatter,
    layout: 'home',
    hero: {
      name: 'Homeward',
      text: 'Find and fetch files from machines that your server cannot reach',
      tagline:
        'A device cloud whose devices only call out, and a local platform for durable AI agents. TypeScript libraries and one command.',
      image: { src: '/icon.svg', alt: '' },
      actions: [
        { theme: 'brand', text: 'Quickstart', link: '/getting-started/quickstart' },
        { theme: 'alt', text: 'Concepts', link: '/guides/concepts' },
        { theme: 'alt', text: 'Into your product', link: '/getting-started/integrator' },
      ],
    },
    features: [
      {
        title: 'Devices only call out',
        details: 'No open port, no VPN. The owner of a device decides which folders a search may see.',
        link: '/getting-started/device-author',
      },
      {
        title: 'Accepted work survives',
        details:
          'What the server accepted survives kill -9. A call that must not happen twice is never repeated silently.',
        link: '/guides/durable-work',
      },
      {
        title: 'Agents with limits',
        details:
          'Budgets, approvals, scopes and an audit log, on SQLite or Postgres, with any model provider.',
        link: '/getting-started/agent-builder',
      },
    ],
  }
}
