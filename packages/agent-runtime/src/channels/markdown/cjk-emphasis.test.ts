import { describe, expect, it } from 'vitest'
import { toTelegramHtml } from './markdown-to-html.ts'
import { toMrkdwn } from './markdown-to-mrkdwn.ts'
import { toPlainText } from './markdown-to-plain.ts'
import { parseMarkdown } from './markdown-tree.ts'

const html = (markdown: string) => toTelegramHtml(parseMarkdown(markdown)).replaceAll('&quot;', '"')

describe('emphasis next to Chinese, Japanese and Korean text', () => {
  it.each([
    ['边界：**社区显示：**Fable 与 **有效**。', '边界：<b>社区显示：</b>Fable 与 <b>有效</b>。'],
    ['含**「重点」**内容', '含<b>「重点」</b>内容'],
    ['**중요:**한국어', '<b>중요:</b>한국어'],
    ['内容**"重点"**内容', '内容<b>"重点"</b>内容'],
    ['これは**重要です。**次に進む', 'これは<b>重要です。</b>次に進む'],
    ['これは*重要です。*次に進む', 'これは<i>重要です。</i>次に進む'],
    ['**이 용어(This term)**를 강조', '<b>이 용어(This term)</b>를 강조'],
    ['已**完成（100%）**；**失败（0）**', '已<b>完成（100%）</b>；<b>失败（0）</b>'],
    ['~~旧：~~新', '<s>旧：</s>新'],
    ['**价格：**￥5', '<b>价格：</b>￥5'],
    ['*강조*와 **굵게**는', '<i>강조</i>와 <b>굵게</b>는'],
    ['***全部：***都是', '<i><b>全部：</b></i>都是'],
  ])('reads %s', (markdown, expected) => {
    expect(html(markdown)).toBe(expected)
    expect(toPlainText(parseMarkdown(markdown))).toBe(expected.replaceAll(/<[^>]+>/g, ''))
  })

  it.each([
    ['a**"b"**c', 'a**"b"**c'],
    ['2 ** 3 ** 4', '2 ** 3 ** 4'],
    ['**a:**b', '**a:**b'],
    ['snake_case_name', 'snake_case_name'],
    ['文件_名_称', '文件_名_称'],
    ['**未完', '**未完'],
    ['** 空 **格', '** 空 **格'],
  ])('leaves %s as CommonMark does', (markdown, expected) => {
    expect(html(markdown)).toBe(expected)
  })

  it('separates marks from letters for Slack, which shows no format without a boundary', () => {
    const mrkdwn = (markdown: string) => toMrkdwn(parseMarkdown(markdown))
    expect(mrkdwn('这是**重点**内容')).toBe('这是\u200B*重点*\u200B内容')
    expect(mrkdwn('调用`run`即可')).toBe('调用\u200B`run`\u200B即可')
    expect(mrkdwn('un**believ**able')).toBe('un\u200B*believ*\u200Bable')
    expect(mrkdwn('a **b** (*c*), *d*.')).toBe('a *b* (_c_), _d_.')
  })
})
