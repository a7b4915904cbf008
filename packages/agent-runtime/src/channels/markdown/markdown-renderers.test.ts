import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import * as html from './markdown-to-html.ts'
import * as mrkdwn from './markdown-to-mrkdwn.ts'
import * as plain from './markdown-to-plain.ts'
import { parseMarkdown } from './markdown-tree.ts'

const toTelegramHtml = (markdown: string) => html.toTelegramHtml(parseMarkdown(markdown))
const toMrkdwn = (markdown: string) => mrkdwn.toMrkdwn(parseMarkdown(markdown))
const toPlainText = (markdown: string) => plain.toPlainText(parseMarkdown(markdown))

const source = `# A *heading*

Some **bold**, *italic*, ~~gone~~ and \`a<b\` & <i>raw</i>, a [link](https://a.example/?x=1&y="2") and
a second line.

- one
- two
  1. inner
- [x] done

\`\`\`ts title
const a = 1 < 2 && "x"
\`\`\`

> quoted
> > twice

| Name | Count |
|---|---|
| apples | 12 |

---
![a picture](https://a.example/p.png)`

it('shows all of Markdown as the HTML of Telegram', () => {
  expect(toTelegramHtml(source)).toBe(
    [
      '<b>A <i>heading</i></b>',
      'Some <b>bold</b>, <i>italic</i>, <s>gone</s> and <code>a&lt;b</code> &amp; &lt;i&gt;raw&lt;/i&gt;, a <a href="https://a.example/?x=1&amp;y=&quot;2&quot;">link</a> and\na second line.',
      '• one\n• two\n  1. inner\n☑ done',
      '<pre><code class="language-ts">const a = 1 &lt; 2 &amp;&amp; &quot;x&quot;</code></pre>',
      '<blockquote>quoted\n\ntwice</blockquote>',
      '<pre><code>Name   | Count\n-------+------\napples | 12</code></pre>',
      '———',
      '<a href="https://a.example/p.png">a picture</a>',
    ].join('\n\n'),
  )
})

it('shows all of Markdown as the mrkdwn of Slack', () => {
  expect(toMrkdwn(source)).toBe(
    [
      '*A _heading_*',
      'Some *bold*, _italic_, ~gone~ and `a&lt;b` &amp; &lt;i&gt;raw&lt;/i&gt;, a <https://a.example/?x=1&amp;y="2"|link> and\na second line.',
      '• one\n• two\n  1. inner\n☑ done',
      '```\nconst a = 1 &lt; 2 &amp;&amp; "x"\n```',
      '>quoted\n>\n>>twice',
      '```\nName   | Count\n-------+------\napples | 12\n```',
      '———',
      '<https://a.example/p.png|a picture>',
    ].join('\n\n'),
  )
})

it('shows all of Markdown as plain text', () => {
  expect(toPlainText(source)).toBe(
    [
      'A heading',
      'Some bold, italic, gone and a<b & <i>raw</i>, a link (https://a.example/?x=1&y="2") and\na second line.',
      '• one\n• two\n  1. inner\n☑ done',
      'const a = 1 < 2 && "x"',
      '> quoted\n> \n> > twice',
      'Name   | Count\n-------+------\napples | 12',
      '———',
      'a picture (https://a.example/p.png)',
    ].join('\n\n'),
  )
})

it('shows the links of a table below it, where they can be followed', () => {
  const table = `| Shop | Site |
|---|---|
| **[Books](https://a.example/?x=1&y=2)** | https://b.example |
| [Books](https://a.example/?x=1&y=2) | [none](javascript:alert(1)) |`
  expect(toTelegramHtml(table)).toMatch(
    /https:\/\/b\.example\nBooks \| none<\/code><\/pre>\n\n<a href="https:\/\/a\.example\/\?x=1&amp;y=2">Books<\/a>$/,
  )
  expect(toMrkdwn(table)).toMatch(/none\n```\n\n<https:\/\/a\.example\/\?x=1&amp;y=2\|Books>$/)
  expect(toPlainText(table)).toContain('none\n\nBooks (https://a.example/?x=1&y=2)')
  expect(toPlainText('| a |\n|---|\n| [1](https://a.example/1) |')).toBe('a\n-\n1\n\n1 (https://a.example/1)')
  for (const address of ['https://a.example', 'www.a.example', 'me@a.example']) {
    expect(toMrkdwn(`| a |\n|---|\n| ${address} |`)).toMatch(/\n```$/)
  }
})

describe('definitions of links', () => {
  const sources =
    'Sources:\n\n[1]: https://a.example/?x=1&y=2\n[Two]: <https://b.example> "The *second*"\n\n\n'

  it('are shown as they were written, each on its line', () => {
    expect(toTelegramHtml(sources)).toBe(
      'Sources:\n\n[1]: <a href="https://a.example/?x=1&amp;y=2">https://a.example/?x=1&amp;y=2</a>\n[Two]: <a href="https://b.example">https://b.example</a> &quot;The *second*&quot;',
    )
    expect(toMrkdwn(sources)).toBe(
      'Sources:\n\n[1]: <https://a.example/?x=1&amp;y=2>\n[Two]: <https://b.example> "The *second*"',
    )
    expect(toPlainText(sources)).toBe(
      'Sources:\n\n[1]: https://a.example/?x=1&y=2\n[Two]: https://b.example "The *second*"',
    )
  })

  it('are left out where a link has shown their address', () => {
    const used = `As [told][1], ![seen][two] and [two].\n\n${sources}[two]: https://other.example`
    expect(toPlainText(used)).toBe(
      'As told (https://a.example/?x=1&y=2), seen (https://b.example) and two (https://b.example).\n\nSources:\n\n[two]: https://other.example',
    )
    const table = '| [head][2] |\n|---|\n| **[1]** |\n\n[1]: https://a.example/1\n[2]: https://b.example'
    expect(toPlainText(table)).toBe('head\n----\n1\n\nhead (https://b.example)\n1 (https://a.example/1)')
  })

  it('are shown where what refers to them shows no address', () => {
    const table = '| a |\n|---|\n| [cell][1] |\n\n[1]: notes/a.md'
    expect(toTelegramHtml(table)).toBe('<pre><code>a\n----\ncell</code></pre>\n\n[1]: notes/a.md')
    const picture = '[![alt][1]](https://b.example)\n\n[1]: https://a.example'
    expect(toPlainText(picture)).toBe('alt (https://b.example)\n\n[1]: https://a.example')
    expect(toTelegramHtml('[name][1]\n\n[1]: notes/a.md')).toBe('name\n\n[1]: notes/a.md')
  })

  it('are found in quotes and lists, with labels that hold brackets', () => {
    expect(toPlainText(String.raw`> [a\]:b]: https://a.example`)).toBe(
      String.raw`> [a\]:b]: https://a.example`,
    )
    expect(toPlainText('- one [A   b][]\n- [a B]: https://a.example\n- [c]: /here')).toBe(
      '• one A   b (https://a.example)\n• \n• [c]: /here',
    )
  })

  it('are kept where what refers to them, or all of the text, is too costly to be formatted', () => {
    const definition = '[1]: https://a.example'
    const costly = `${'[**a'.repeat(500)} [told][1]`
    expect(toPlainText(`${costly}\n\n${definition}`)).toBe(`${costly}\n\n${definition}`)
    expect(toPlainText(`${costly}\n\n[told][1]\n\n${definition}`)).toBe(
      `${costly}\n\ntold (https://a.example)`,
    )
    const deep = `${'> '.repeat(20)}[told][1]\n\n${definition}`
    expect(toPlainText(deep)).toBe(deep)
    for (const left of [0, 1]) {
      const blocks = parseMarkdown(`[told][1]\n\n${definition}`, { left })
      expect(plain.toPlainText(blocks)).toBe(`[told][1]\n\n${definition}`)
    }
  })
})

describe('what could do harm', () => {
  it('mentions nobody on Slack', () => {
    const sly =
      '<!channel> <@U0USER0001> `<!here>` [x](<!channel>) **<!everyone>** <https://a.example|<!here>>'
    expect(toMrkdwn(sly)).not.toMatch(/<[!@#]/)
    expect(toMrkdwn('[<!here>](https://a.example/|x>)')).not.toMatch(/<[!@#]/)
    expect(toMrkdwn('[<!here>]: <https://a.example/!channel> "<!here>"')).not.toMatch(/<[!@#]/)
    expect(toMrkdwn('[a]: <!channel>\n[b]: <@U0USER0001>')).not.toMatch(/<[!@#]/)
  })

  it('links to nothing that a chat must not open', () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '/relative',
      '',
    ]) {
      expect(toTelegramHtml(`[name](${address})`)).toBe('name')
      expect(toMrkdwn(`[name](${address})`)).toBe('name')
      expect(toTelegramHtml(`[name]: ${address}`)).toBe(`[name]: ${address}`)
    }
  })

  it('takes entities for what they stand for, and only once', () => {
    expect(toPlainText('1 &lt; 2 &amp;amp; &#128640; &#x1f680; &#0; &nope; &#xD800;')).toBe(
      '1 < 2 &amp; 🚀 🚀 &#0; &nope; &#xD800;',
    )
    expect(toPlainText('`&lt;`')).toBe('&lt;')
    expect(toTelegramHtml('&lt;b&gt;')).toBe('&lt;b&gt;')
  })

  it('keeps code as it is, with the marks of its own block in it', () => {
    const code = '````md\n```js\n  x\n```\n````'
    expect(toTelegramHtml(code)).toBe('<pre><code class="language-md">```js\n  x\n```</code></pre>')
    expect(toMrkdwn(code).match(/```/g)).toHaveLength(2)
    expect(toPlainText('`` a`b ``')).toBe('a`b')
  })

  it('does not nest links, nor quotes on Telegram', () => {
    expect(toTelegramHtml('[![alt](https://a.example/i)](https://b.example)')).toBe(
      '<a href="https://b.example">alt</a>',
    )
    expect(toTelegramHtml('> a\n> > b\n> > > c').match(/<blockquote>/g)).toHaveLength(1)
  })
})

/** Tags of a text, in order; fails when one closes what is not open. */
function isWellFormed(html: string): boolean {
  const open: string[] = []
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z]+)(?: [a-z]+="[^"<>]*")?>/g)) {
    if (!slash) open.push(name ?? '')
    else if (open.pop() !== name) return false
  }
  return open.length === 0 && !/<(?!\/?(?:b|i|s|a|code|pre|blockquote)\b)/.test(html)
}

const anyMarkdown = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
  fc
    .array(
      fc.constantFrom(
        ...'*_`~[]()<>!&#-|\n >1.a"\\'.split(''),
        '**',
        '](http://a.b/',
        '```\n',
        '&lt;',
        '<!here>',
        '\n\n[a]: http://a.b\n',
        '\n\n[<!here>]: <!here> "a"\n',
      ),
      {
        maxLength: 120,
        size: 'max',
      },
    )
    .map((signs) => signs.join('')),
)

describe('laws', () => {
  it('gives HTML in which every tag is one of Telegram’s and closed in order', () => {
    fc.assert(
      fc.property(anyMarkdown, (markdown) => {
        expect(isWellFormed(toTelegramHtml(markdown))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('gives mrkdwn in which only links begin with an angle bracket', () => {
    fc.assert(
      fc.property(anyMarkdown, (markdown) => {
        const rest = toMrkdwn(markdown).replaceAll(
          /<(?:https?:\/\/|mailto:|tel:)[^<>|]+(?:\|[^<>|]*)?>/gi,
          '',
        )
        expect(rest).not.toContain('<')
      }),
      { numRuns: 500 },
    )
  })

  it('shows a text without marks as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9äöü ,;?]{1,200}$/), (words) => {
        const text = words.trim()
        expect(toPlainText(text)).toBe(text)
        expect(toMrkdwn(text)).toBe(text)
        expect(toTelegramHtml(text)).toBe(text)
      }),
    )
  })

  it('survives whatever is nested, with little work', async () => {
    const hostile = [
      '[',
      '*a',
      '**a ',
      '>',
      '`',
      '- ',
      '<',
      '[a](',
      '![',
      '_a',
      '|a',
      '*_',
      '**_',
      '>- ',
      '&#',
      '\\',
      '    ',
      '$',
    ]
    for (const unit of hostile) {
      const text = unit.repeat(4000 / unit.length)
      const cpuMs = await threadCpuMs(() => {
        for (const render of [toTelegramHtml, toMrkdwn, toPlainText])
          expect(render(text)).toBeTypeOf('string')
      })
      expect(cpuMs, unit).toBeLessThan(2000)
    }
  })
})

it('keeps every sign of a heading, and makes it bold once', () => {
  const heading = '## 5 * 3 **is** `a*b`, see [it](https://a.example/b*c)'
  expect(toMrkdwn(heading)).toBe('*5 * 3 is `a*b`, see <https://a.example/b*c|it>*')
  expect(toTelegramHtml(heading)).toBe(
    '<b>5 * 3 is <code>a*b</code>, see <a href="https://a.example/b*c">it</a></b>',
  )
  expect(toPlainText(heading)).toBe('5 * 3 is a*b, see it (https://a.example/b*c)')
})
