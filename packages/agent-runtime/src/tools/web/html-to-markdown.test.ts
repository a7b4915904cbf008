import { describe, expect, it } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.ts'

const base = new URL('https://a.example/dir/page')
const textOf = async (html: string) => (await htmlToMarkdown(html, base)).text

describe('HTML as Markdown', () => {
  it('keeps headings, paragraphs, lists, links, tables, pictures and code', async () => {
    const page = await htmlToMarkdown(
      `<!doctype html><html><head><title> A
        page </title><style>p {}</style></head><body><nav>Menu</nav>
        <h1><a href="#top">Big</a> news</h1><p>Some <b>bold</b> text&nbsp;&amp; a <a href="../x?y=1">link</a>.<br>Next.</p>
        <ul><li><p>One</p></li><li>Two<ol><li>Inner</li><li>More</li></ol></li><li></li></ul>
        <table><tr><th>K</th><th>V</th></tr><tr><td>a</td><td>1</td></tr></table>
        <pre><code>if (x) {
  y()
}</code></pre><img src="i.png" alt="A cat"><script>alert(1)</script><p hidden>no</p><p>Run <code>npm ci</code>.</p>
        <a href="javascript:alert(1)">odd</a> <a href="/all"><div>block</div></a></body></html>`,
      base,
    )
    expect(page.title).toBe('A page')
    expect(page.text).toBe(
      [
        '# Big news',
        '',
        'Some bold text & a [link](https://a.example/x?y=1).',
        'Next.',
        '',
        '- One',
        '- Two',
        '  1. Inner',
        '  2. More',
        '',
        'K | V',
        'a | 1',
        '',
        '```',
        'if (x) {',
        '  y()',
        '}',
        '```',
        '',
        '[Picture: A cat]',
        '',
        'Run `npm ci`.',
        '',
        'odd',
        '',
        'block',
      ].join('\n'),
    )
  })

  it('reads only the main part of a page that marks one, unless it is nearly empty', async () => {
    const long = 'word '.repeat(60).trim()
    expect(await textOf(`<p>Header</p><main><p>${long}</p></main><p>Footer</p>`)).toBe(long)
    expect(await textOf('<p>Text</p><article>x</article>')).toBe('Text\n\nx')
  })

  it.each([
    ['deep', '<div>'.repeat(300_000)],
    ['without ends', '<a href=x>'.repeat(200_000)],
    ['with ends of nothing', `${'<p>'.repeat(900)}${'</b>'.repeat(400_000)}`],
    ['one line of links', '<a href=/x>y</a> '.repeat(120_000)],
    ['one line of pieces', '<i>a</i> '.repeat(200_000)],
    ['lists in lists', '<ul><li>'.repeat(200_000)],
    ['code', `<pre>${'x\n'.repeat(900_000)}`],
    ['attributes', `<a ${'x=y '.repeat(400_000)}>`],
    ['open comments', `<!--${'-'.repeat(1_900_000)}`],
    ['open signs', '<'.repeat(1_900_000)],
  ])('takes little time for a page of 2 MB: %s', { timeout: 20_000 }, async (_, html) => {
    const started = performance.now()
    await htmlToMarkdown(html, base)
    expect(performance.now() - started).toBeLessThan(8000)
  })
})
