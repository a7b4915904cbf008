import { expect, it } from 'vitest'
import { chooseAction } from './test-pages.ts'
import { describeInBrowser } from './browser.ts'

describeInBrowser('collections', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('takes files, says which it refuses and why, finds their passages, and gives them to an agent', async () => {
    await world.runtime().agents.create({ id: 'clerk', model: 'test/echo' })
    const page = await world.openPage('agents', '/collections')
    await page.getByRole('button', { name: 'Create the first one' }).click()
    await page.getByLabel('Name').fill('House rules')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'House rules' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/collections/house-rules')

    const file = (name: string, text: string) => ({ name, mimeType: '', buffer: Buffer.from(text) })
    await page
      .locator('input[type=file]')
      .setInputFiles([file('keys.md', '# Keys\n\nThe key is at the reception.'), file('nothing.txt', '')])
    await page.getByText('nothing.txt: The file is empty.').waitFor()
    await page
      .getByRole('row', { name: /keys\.md/ })
      .getByText('Ready')
      .waitFor()

    await page.getByLabel('Search in the documents').fill('where is the key')
    await page.getByText('is at the reception').waitFor()
    await page.getByRole('link', { name: 'keys.md' }).click()
    await page.getByRole('complementary', { name: 'keys.md' }).getByText('text/markdown').waitFor()

    await page.getByText('No agent searches it yet').waitFor()
    await page.goto(`${world.agentsUrl}/agents/clerk`)
    await page.getByRole('button', { name: 'Show all settings' }).click()
    await page.getByText('House rules').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The change applies to new runs.').waitFor()
    await page.goto(`${world.agentsUrl}/collections/house-rules`)
    await page.getByRole('main').getByRole('link', { name: 'clerk' }).waitFor()

    await chooseAction(page, 'Delete document', 'Actions of keys.md')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete document' }).click()
    await page.getByText('No documents yet').waitFor()
    expect(await world.runtime().collections.search('house-rules', { q: 'key' })).toEqual([])
  })
})
