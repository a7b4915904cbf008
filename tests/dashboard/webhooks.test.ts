import { expect, it } from 'vitest'
import { startReceiver } from '../webhooks/receiver.ts'
import { describeInBrowser } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

const halves = [
  {
    name: 'devices',
    event: 'device.registered',
    labels: ['A device was registered', 'Many of your devices are offline at once'],
  },
  {
    name: 'agents',
    event: 'run.completed',
    labels: ['A run completed', 'A run waits for somebody to approve a tool call'],
  },
] as const

describeInBrowser('webhooks', {}, (world) => {
  for (const { name, event, labels } of halves) {
    it(`adds a webhook to the ${name}, shows its secret once, tests it, and enables it again`, async () => {
      await using receiver = await startReceiver()
      // both servers read the setting
      await fetch(`${world.agentsUrl}/api/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ webhook_hosts: '127.0.0.1' }),
      })
      const page = await world.openPage(name, name === 'agents' ? '/settings/webhooks' : '/devices-webhooks')
      const part = page.getByRole('region', { name: `Webhooks for ${name}` })
      await part.getByText('No webhooks yet').waitFor()
      await part.getByRole('button', { name: 'Add webhook' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
      await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/hook')
      for (const label of labels) await dialog.getByText(label, { exact: true }).click()
      await dialog.getByRole('button', { name: 'Add webhook' }).click()
      await dialog.getByText('has a private address').waitFor()
      await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Add webhook' }).click()
      const shown = dialog.getByRole('region', { name: 'Secret of the webhook' }).getByRole('group')
      const secret = await shown.innerText()
      expect(secret).toMatch(/^whsec_/)
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText(labels.join(' · ')).waitFor()
      expect(await page.content()).not.toContain(secret)

      await page.getByRole('button', { name: `Send test to ${receiver.url}` }).click()
      await page.getByText('Test delivered: the receiver responded with 204.').waitFor()
      receiver.respond = (response) => response.writeHead(410).end()
      await page.getByRole('button', { name: `Send test to ${receiver.url}` }).click()
      await page.getByText('Disabled: The receiver responded with 410 Gone.').waitFor()
      await page.getByRole('button', { name: 'Deliveries' }).click()
      const table = page.getByRole('grid', { name: 'Deliveries' })
      await table.getByText('Test', { exact: true }).nth(1).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: `Enable again: ${receiver.url}` }).click()
      await page.getByText('enabled', { exact: true }).waitFor()
      expect(receiver.requests.map(({ body: { type } }) => type)).not.toContain(event)

      await chooseAction(page, 'Delete webhook', `More actions for ${receiver.url}`)
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
      await part.getByText('No webhooks yet').waitFor()
    })
  }
})
