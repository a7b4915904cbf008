import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startProtectedServer } from '../../packages/agent-runtime/src/tools/mcp/testing/protected-server.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { clientSecret, type PeopleProvider, startPeopleProvider } from './people-provider.ts'

let provider: PeopleProvider
afterAll(() => provider[Symbol.asyncDispose]())

const environment = async () => {
  provider = await startPeopleProvider()
  return {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'homeward',
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'House Login',
    OIDC_ADMINS: 'ann@example.com',
  }
}

describeInBrowser('people who use agents and administer none', { environment }, (world) => {
  beforeAll(() => provider.allow([world.cloudUrl, world.agentsUrl]))

  afterEach(() => world.forgetProblems(new RegExp(`^request: ${provider.issuer}/`)))

  async function signIn(path: string, name: 'Ann' | 'Bob' = 'Bob'): Promise<Page> {
    const page = await world.openPage('agents', path)
    await page.getByRole('link', { name: 'Sign in with House Login' }).click()
    await page.getByRole('button', { name }).click()
    await page.getByText(`${name} Example`).waitFor()
    return page
  }

  it('A12: chat with the agents that name them, and see what is their own, and nothing else', async () => {
    const runtime = world.runtime()
    await runtime.agents.create({ id: 'house', name: 'House', model: 'test/echo', users: ['bob'] })
    await runtime.agents.create({ id: 'office', name: 'Office', model: 'test/echo' })
    await runtime.runs.start({ agent_id: 'house', task: 'marker of ann', user_id: 'ann' })
    const page = await signIn('/')
    await page.getByRole('heading', { name: 'Chat with House' }).waitFor()
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    for (const name of ['Chat', 'Devices', 'Activity'])
      await navigation.getByRole('link', { name, exact: true }).waitFor()
    for (const name of ['Home', 'Agents', 'Automations', 'Skills and channels'])
      expect(await navigation.getByRole('link', { name, exact: true }).count(), name).toBe(0)

    const message = page.getByRole('textbox', { name: 'Message to House' })
    await message.fill('hello from bob')
    await message.press('Enter')
    await page.getByRole('log').getByText('hello from bob').last().waitFor()
    await expect
      .poll(async () => (await runtime.runs.list({ userId: 'bob' })).runs[0]?.status)
      .toBe('completed')
    await screenshot(page, 'chat-of-a-user')
    await expectFineInEveryLook(page)

    for (const [path, heading] of [
      ['/conversations', 'Conversations'],
      ['/runs', 'Activity'],
      ['/waiting', 'Waiting'],
      ['/usage', 'Usage'],
    ] as const) {
      await page.goto(world.agentsUrl + path)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      expect(await page.getByText('marker of ann').count(), path).toBe(0)
    }
    await page.goto(`${world.agentsUrl}/runs`)
    await page.getByText('hello from bob').first().click()
    await page.getByRole('heading', { name: 'hello from bob', level: 1 }).waitFor()

    for (const path of [
      '/settings',
      '/settings/advanced',
      '/agents/house',
      '/memory',
      '/logs',
      '/schedules',
    ]) {
      await page.goto(world.agentsUrl + path)
      await page.getByText('For administrators').waitFor()
    }
  })

  it('an administrator finds what belongs to a user, and gives a user a token', async () => {
    const runtime = world.runtime()
    await runtime.agents.create({ id: 'many', name: 'Many', model: 'test/echo' })
    for (const user of ['cleo', 'dora'])
      await runtime.runs.start({ agent_id: 'many', task: `task of ${user}`, user_id: user })
    await expect
      .poll(async () => (await runtime.runs.list({ agentId: 'many', status: 'completed' })).runs)
      .toHaveLength(2)
    const page = await signIn('/runs?user_id=cleo', 'Ann')
    await page.getByText('task of cleo').first().waitFor()
    expect(await page.getByText('task of dora').count()).toBe(0)
    await page.goto(`${world.agentsUrl}/conversations?by=all`)
    await page.getByText('task of dora').first().waitFor()
    await page.getByRole('searchbox', { name: 'User' }).fill('cleo')
    await page.getByText('task of dora').first().waitFor({ state: 'detached' })
    await page.getByText('task of cleo').first().waitFor()
    await page.goto(`${world.agentsUrl}/waiting?user=cleo`)
    await page.getByText('Nothing waits').waitFor()
    await page.goto(`${world.agentsUrl}/usage?group=user&count=calls`)
    const table = page.getByRole('region', { name: 'Usage in numbers' })
    for (const user of ['cleo', 'dora']) await table.getByRole('columnheader', { name: user }).waitFor()

    await page.goto(`${world.agentsUrl}/settings/access-tokens`)
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a token' })
    await dialog.getByLabel('Name').fill('app of cleo')
    await dialog.getByLabel('User').fill('cleo')
    await dialog.getByText('Metadata').click()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: 'app of cleo' }).getByText('user cleo').waitFor()
    expect(await runtime.tokens.list()).toMatchObject([{ user_id: 'cleo', allow: ['metadata'] }])
  })

  it('an administrator sees what a user of an agent has used, revokes a decision, deletes a login, and unlinks a sender', async () => {
    await using shop = await startProtectedServer({ listsFreely: true })
    const runtime = world.runtime()
    const oauth = { grant_type: 'authorization_code', client_id: 'person' } as const
    await runtime.mcp.save('shop', { url: shop.url, oauth, login: 'user' })
    await runtime.agents.create({
      id: 'team',
      name: 'Team',
      model: 'test/tools',
      approval_tools: ['write_file'],
      mcp_servers: ['shop'],
      user_budget: { max_tokens: 1_000_000, period: 'month' },
    })
    const bob = { agent_id: 'team', user_id: 'bob' }
    const asked = await runtime.run({ ...bob, task: 'shop.account {}' })
    const [login] = (await runtime.runs.get(asked.run_id)).waits
    const back = await fetch(await shop.visit(login?.url ?? ''))
    expect(back.status, await back.text()).toBe(200)
    const written = await runtime.run({ ...bob, task: 'write_file {"path":"list.md","content":"milk"}' })
    const [approval] = (await runtime.runs.get(written.run_id)).approvals
    await runtime.runs.decideApproval(written.run_id, approval?.id ?? '', {
      decision: 'deny',
      remember: 'agent',
    })
    for (const { run_id } of [asked, written]) await (await runtime.runs.attach(run_id)).result
    const linked = { status: 'allowed', kind: 'person', user_id: 'bob' } as const
    await runtime.channels.setSender('channel_a', '42', linked)
    await runtime.runs.start({ agent_id: 'team', task: 'shop.account {}', user_id: 'cleo' })

    const page = await signIn('/agents/team', 'Ann')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByRole('heading', { name: 'Users of Team', level: 1 }).waitFor()
    const row = page.getByRole('row', { name: /^bob/ })
    await row.getByText(/^[\d,]+ of 1,000,000 tokens$/).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'users-of-an-agent')
    await row.getByRole('link', { name: 'bob' }).click()
    await page.getByRole('heading', { name: 'bob', level: 1 }).waitFor()
    const usage = await runtime.usage.report({ agentId: 'team', userId: 'bob' })
    const calls = usage.usage.reduce((sum, each) => sum + each.calls, 0)
    expect(calls).toBeGreaterThan(0)
    const fact = page.locator('dl.facts > div').filter({ hasText: 'Model calls' })
    await expect.poll(() => fact.locator('dd').textContent()).toBe(String(calls))
    await page.getByText('Telegram, allowed').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'user-of-an-agent')

    await page.getByText('Denied: write_file').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => runtime.runs.rememberedApprovals('team')).toEqual([])
    await page.getByRole('button', { name: 'Delete login to shop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete login' }).click()
    await page.getByText('not logged in').waitFor()
    expect(await runtime.mcp.logins('shop')).toEqual([])
    await page.getByRole('button', { name: 'Unlink 42' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('No person in a channel belongs to this user.').waitFor()
    expect(await runtime.channels.senders('channel_a')).toMatchObject([{ id: '42', user_id: 'telegram:42' }])
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByText('list.md').first().waitFor()
    expect(new URL(page.url()).searchParams.get('user_id')).toBe('bob')
  })
})
