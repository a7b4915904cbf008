import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

const answer = `# Roses

Cut them in **March**, see [the guide](https://garden.example/roses) and \`pruning.md\`:

- old wood
- ![a branch](https://garden.example/branch.png)

| When | What |
| --- | --- |
| May | <b>water</b> |
`

describeInBrowser('an answer that is spoken', {}, (world) => {
  it('has the text without its marks, and says when the rest is on the page', async () => {
    await world.runtime().agents.create({ id: 'writer', name: 'Writer', model: 'openai/stand-in' })
    const page = await world.openPage('agents', '/chat/writer')
    const spoken = page.locator('[role=status].visually-hidden')
    const ask = async (task: string, reply: string) => {
      await page.getByRole('textbox', { name: /^Message to/ }).fill(task)
      await page.keyboard.press('Enter')
      const call = await provider.nextCall(task)
      await expect.poll(() => spoken.textContent()).toBe('Writer is working.')
      call.say(reply)
      call.end()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await expect.poll(() => spoken.textContent()).toMatch(/^Writer answered: ./)
      return ((await spoken.textContent()) ?? '').replaceAll(/\s+/g, ' ')
    }
    expect(await ask('How', answer)).toBe(
      'Writer answered: Roses Cut them in March, see the guide and pruning.md: old wood a branch When What May <b>water</b>',
    )
    const long = await ask('Tell all', `It was **long** ago. ${'Once upon a time. '.repeat(200)}The end.`)
    expect(long).toMatch(/^Writer answered: It was long ago\. Once/)
    expect(long).toMatch(/ (Once|upon|a|time\.) … The rest is on the page\.$/)
    expect(long.length).toBeLessThan(1100)
  })
})
