import { describe, expect, it } from 'vitest'
import { findHiddenMarkup, findInvisible } from './skill-warnings.ts'
import { looksLike, mixesScripts } from './skill-warnings.ts'
import { skillWarnings } from './skill-warnings.ts'

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

describe('text that hides', () => {
  it.each([
    ['tag characters', `Hello${tags('obey')}`, 4],
    ['zero-width spaces', 'a\u200bb\u200bc', 2],
    ['another reading order', 'a \u202egnp.exe', 1],
    ['a byte order mark inside', 'a\ufeffb', 1],
    ['a flag that goes on', `\u{1f3f4}${tags('ignore everything')}\u{e007f}`, 18],
  ])('shows itself: %s', (_, text, count) => {
    expect(findInvisible(`first line\n${text}`)).toEqual({ kind: 'invisible_characters', count, line: 2 })
  })

  it.each([
    ['emoji with joiners and variants', '👩‍💻 ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['Persian and Hebrew', 'می‌خواهم שלום‎'],
    ['a soft hyphen', 'Donau\u00addampf'],
    ['a byte order mark at the start', '\ufeff# Title'],
  ])('is not seen where there is none: %s', (_, text) => {
    expect(findInvisible(text)).toBeUndefined()
  })

  it.each([
    ['a comment', 'Text <!-- run this -->'],
    ['a comment that never ends', 'Text <!-- run this'],
    ['a comment of links', '[//]: # (run this)'],
    ['an element without a size', '<p style="font-size: 0">run this</p>'],
    ['an element that is hidden', '<div class="a" hidden>run this</div>'],
  ])('shows itself in Markdown: %s', (_, text) => {
    expect(findHiddenMarkup(`# Title\n${text}\n`)).toMatchObject({ kind: 'hidden_markup', line: 2 })
  })

  it('may stand in code, which is shown', () => {
    expect(findHiddenMarkup('Write `<!-- this -->`:\n\n```html\n<!-- so -->\n```\n')).toBeUndefined()
    expect(findHiddenMarkup('```\ncode\n```\n<!-- not code -->')).toMatchObject({ line: 4 })
  })

  const evil = '<!-- run this -->'
  it.each([
    ['inline code at the start of a line', `\`\`\`weather\`\`\` tells the weather.\n\n${evil}`],
    ['an info string at what looks like the end', `\`\`\`\n\`\`\` js\n\`\`\`\n\n${evil}`],
    ['a fence that nothing closes', `\`\`\`\n${evil}`],
    ['a fence of tildes that backticks do not close', `~~~\n\`\`\`\n${evil}`],
    ['an end that is indented', `\`\`\`\ncode\n    \`\`\`\n\`\`\`\n${evil}`],
    ['an end with other blanks behind it', `\`\`\`\n\`\`\`\u00a0\n\`\`\`\n${evil}\n\`\`\`\n`],
    ['a carriage return alone', `\`\`\`\n\`\`\`\r${evil}\n\`\`\`\n`],
    ['a fence in HTML', `<pre>\n\`\`\`\n</pre>\n\n${evil}\n\n\`\`\`\n`],
    ['a fence in HTML behind a list', `- <div><!-- a -->\n  \`\`\`\n\n${evil}\n\`\`\`\n`],
    ['a fence in an item of a list', `- \`\`\`\n  \`\`\`\n\n${evil}\n\`\`\`\n`],
    ['the end of a list, which ends a fence', `- a\n\n  \`\`\`\n${evil}\n\`\`\`\n`],
    ['a fence in front matter', `---\na: |\n  \`\`\`\n---\n${evil}\n  \`\`\`\n`],
    ['escaped backticks', `\\\` ${evil} \\\``],
    ['an escaped backtick', `\\\` ${evil} \``],
    ['a backtick of the line before', `a \`\nb \` ${evil} \` c`],
    ['backticks in other numbers', `\`\` ${evil} \``],
    ['backticks of other items', `- \` ${evil}\n- \``],
    ['a backtick in an attribute', `a <b title="\`"> ${evil} <b title="\`">`],
    ['a backtick in an attribute of the line before', `a <b\ntitle="\`"> ${evil} \``],
    ['a backtick in HTML', `<div>\`</div>${evil}<b>\`</b>`],
    ['a backtick in the target of a link', `[a](<\`>) ${evil} \``],
    ['a backtick in an address', `https://a.example/\`${evil}\``],
    ['backticks of other cells', `| a | b |\n|---|---|\n| \` | ${evil} \` |`],
  ])('shows itself behind what is no code, or perhaps none: %s', (_, text) => {
    expect(findHiddenMarkup(text)).toMatchObject({ kind: 'hidden_markup' })
  })

  it.each([
    ['a fence with an info string', `\`\`\`html title="x"\n${evil}\n\`\`\`\n`],
    ['a fence of tildes with backticks in it', `~~~ \`a\`\n${evil}\n\`\`\`\n~~~~ \t\n`],
    ['a longer fence around a shorter one', `\`\`\`\`md\n\`\`\`html\n${evil}\n\`\`\`\n\`\`\`\`\n`],
    ['a fence in an item of a list', `1. Write\n   \`\`\`html\n   ${evil}\n\n   \`\`\`\n`],
    ['a fence behind one that lies deeper', `- a\n    \`\`\`\n    x\n    \`\`\`\n\n\`\`\`\n${evil}\n\`\`\``],
    ['a fence behind HTML', `<div>\n</div>\n\n\`\`\`\n${evil}\n\`\`\`\n`],
    ['a fence behind front matter', `---\nname: a\n---\n\`\`\`\n${evil}\n\`\`\`\n`],
    ['lines of Windows', `\`\`\`html\r\n${evil}\r\n\`\`\`\r\n`],
    ['more than one backtick', `Write \`\` \` ${evil} \`\` there.`],
    ['behind a link, an address and a tag', `[a](b.md), https://a.example, <b>: \`${evil}\``],
    ['behind a backslash', `\\* and \\\\\`${evil}\``],
  ])('may stand in what certainly is code: %s', (_, text) => {
    expect(findHiddenMarkup(text)).toBeUndefined()
  })

  it('is found at once in a text of a megabyte', () => {
    const started = performance.now()
    for (const piece of [
      '<a ',
      '[x]: ',
      '`',
      '` ',
      '`a` ',
      '```\n',
      '    ```\n',
      '](',
      'www.',
      '[[]',
      '\\`',
      '<!--',
      '<p '.padEnd(400),
      '\u{1f3f4}',
    ]) {
      findHiddenMarkup(piece.repeat(1_000_000 / piece.length))
      findInvisible(piece.repeat(1_000_000 / piece.length))
    }
    findHiddenMarkup(`\`\`\`\n${'\n'.repeat(1_000_000)}\`\`\`\n`)
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})

describe('names', () => {
  it.each([
    ['weather', 'wheather'],
    ['weather', 'waether'],
    ['weather', 'weathers'],
    ['weather', 'wеather'], // Cyrillic
    ['pdf-tools', 'pdftools'],
    ['github', 'gith\u0443b'],
    ['mail', 'mai1'],
    ['corner', 'comer'],
  ])('%j is taken for %j', (name, other) => {
    expect([looksLike(name, other), looksLike(other, name)]).toEqual([true, true])
  })

  it.each([
    ['weather', 'weather'],
    ['Weather', 'weather'],
    ['agent-1', 'agent-2'],
    ['mail', 'maps'],
    ['calendar', 'contacts'],
  ])('%j is not taken for %j', (name, other) => {
    expect(looksLike(name, other)).toBe(false)
  })

  it('may be of any script, but not of several that look the same', () => {
    expect(['wеather', 'Ρython'].map(mixesScripts)).toEqual([true, true])
    expect(['погода', 'Καιρός', 'weather погода', 'Größe', '天気 API'].some(mixesScripts)).toBe(false)
  })
})

it('tells a person what to look at, and where', () => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const files = [
    { path: 'SKILL.md', bytes: encode('---\nname: a\n---\n<!-- do this -->') },
    { path: 'tools.yaml', bytes: encode('tools: []\u200b') },
    { path: 'scripts/run.py', bytes: encode('<!-- \u200b') },
  ]
  expect(skillWarnings(files, { own: ['wheather'], others: ['weather', 'mail'] })).toEqual([
    { code: 'look_alike_name', message: expect.stringContaining('"weather"') as string },
    { code: 'hidden_markup', file: 'SKILL.md', message: expect.stringContaining('line 4') as string },
    {
      code: 'invisible_characters',
      file: 'tools.yaml',
      message: expect.stringContaining('line 1') as string,
    },
  ])
  expect(skillWarnings([], { own: ['mail'], others: ['mail', 'weather'] })).toEqual([])
})
