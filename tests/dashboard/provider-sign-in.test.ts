import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { clientSecret, type PeopleProvider, startPeopleProvider } from './people-provider.ts'
import { chooseAction } from './test-pages.ts'

let provider: PeopleProvider
afterAll(() => provider[Symbol.asyncDispose]())

const environment = async () => {
  provider = await startPeopleProvider()
  return {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'homeward',
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'House Login',
    OIDC_ADMINS: 'ann@example.com, bob@example.com',
  }
}

const signInLink = (page: Page) => page.getByRole('link', { name: 'Sign in with House Login' })
const choose = (page: Page, name: 'Ann' | 'Bob' | 'Cancel') => page.getByRole('button', { name }).click()
const sessionOf = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'homeward-session')

describeInBrowser('signing in at an identity provider', { environment }, (world) => {
  beforeAll(() => provider.allow([world.cloudUrl, world.agentsUrl]))
  let opened: Page
  afterEach(async () => {
    world.forgetProblems(new RegExp(`^request: ${provider.issuer}/`))
    provider.isDown = false
    await opened.context().clearCookies()
  })

  async function open(path: string): Promise<Page> {
    opened = await world.openPage('devices', path)
    return opened
  }
  async function signIn(path: string, name: 'Ann' | 'Bob' = 'Ann'): Promise<Page> {
    const page = await open(path)
    await signInLink(page).click()
    await choose(page, name)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  }
  async function register(page: Page, device: string): Promise<void> {
    await chooseAction(page, 'Register device', 'More ways to add a device')
    const dialog = page.getByRole('dialog', { name: 'Register a device' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill(device)
    await dialog.getByRole('button', { name: 'Register' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: device }).waitFor()
  }

  it('leads there and back to the page, keeps the session over a reload, and on both ports', async () => {
    const page = await open('/devices?status=online')
    await signInLink(page).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'sign-in-provider')
    await signInLink(page).click()
    await choose(page, 'Ann')
    await page.getByText('Ann Example').waitFor()
    expect(page.url()).toBe(`${world.cloudUrl}/devices?status=online`)
    await screenshot(page, 'signed-in')

    const cookie = await sessionOf(page)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 3600)
    const visible = await page.evaluate(() =>
      [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href].join(),
    )
    expect(visible).not.toMatch(/eyJ|homeward-session/)

    await page.reload()
    await page.getByText('Ann Example').waitFor()
    const other = await world.openPage('agents', '/tasks')
    const [socket] = await Promise.all([other.waitForEvent('websocket'), other.reload()])
    await other.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    const frame = socket.waitForEvent('framereceived')
    await world.runtime().tasks.create({ agent_id: 'demo', task: 'Hello' })
    expect(String((await frame).payload)).toContain('"type":"task.created"')
  })

  it('shows each person their own devices, and the pages of agents only to administrators', async () => {
    const page = await signIn('/devices')
    await register(page, 'Of Ann')
    await page.context().clearCookies()

    // the address of Bob is in OIDC_ADMINS, but the provider has not verified it
    const second = await signIn('/', 'Bob')
    await second.getByText('No devices yet').waitFor()
    expect(new URL(second.url()).pathname).toBe('/devices')
    expect(await second.getByText('Of Ann').count()).toBe(0)
    expect(await second.getByRole('link', { name: 'Agents' }).count()).toBe(0)
    await second.goto(`${world.cloudUrl}/tasks`)
    await second.getByText('Bob Example, who may not use this page').waitFor()
    expect(await statusIn(second, '/agent-platform/api/agents')).toBe(401)
  })

  it('signs out here and at the provider, and accepts no copy of the cookie', async () => {
    const page = await signIn('/devices')
    const cookie = await sessionOf(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await signInLink(page).waitFor()
    expect(await sessionOf(page)).toBeUndefined()
    await page.context().addCookies([cookie!])
    await page.reload()
    await signInLink(page).waitFor()
    // asks again who it is
    await signInLink(page).click()
    await page.getByRole('button', { name: 'Bob' }).waitFor()
  })

  it('says that the provider is down, and leads to the page once it answers again', async () => {
    await world.restart() // the server does not know the provider from before
    const page = await open('/files')
    provider.isDown = true
    await signInLink(page).click()
    await page.getByText('The identity provider does not answer. Try again in a moment.').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'provider-down')
    provider.isDown = false
    await signInLink(page).click()
    await choose(page, 'Ann')
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    expect(page.url()).toBe(`${world.cloudUrl}/files`)
  })

  it('says that the provider did not let the person in', async () => {
    const page = await open('/devices')
    await signInLink(page).click()
    await choose(page, 'Cancel')
    await page.getByText('The identity provider did not let you in.').waitFor()
    // an address that somebody has made up
    await page.goto(`${world.cloudUrl}/sign-in?problem=__proto__`)
    await page.getByText('The server rejected the answer of the identity provider.').waitFor()
  })

  it('keeps a page whose session has ended, until the person has signed in in another tab', async () => {
    const page = await signIn('/memory')
    await page.getByRole('button', { name: 'Write a memory' }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('Half of a sen')
    const session = await sessionOf(page)
    // as after its end: the server no longer opens it
    await page.context().addCookies([{ ...session!, value: `x${session!.value}` }])
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
        return signInLink(page).count()
      })
      .toBe(1)
    const [tab] = await Promise.all([page.context().waitForEvent('page'), signInLink(page).click()])
    await tab.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.bringToFront()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await signInLink(page).waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Half of a sen')
  })
})

const statusIn = (page: Page, path: string) =>
  page.evaluate(async (address) => (await fetch(address)).status, path)
