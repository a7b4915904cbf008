import { createRuntime, type AgentRuntime } from '@homeward/agent-runtime'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { checkReferences } from './check-references.ts'
import { isLoopback, namesAdmins, type Settings } from '../../settings/settings.ts'
import { error, warning, wordsOf, type Checked, type Finding } from './finding.ts'

/**
 * Checks what the agent platform reads from the data home: settings, provider keys (one list of models is asked for each),
 * skills and channels, and what stored agents, schedules and routes refer to. Nothing is changed.
 */
export async function checkAgents(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Checked[]> {
  const { home } = settings
  const quiet = { warn: () => {}, error: () => {} }
  await using runtime = createRuntime({
    home,
    environment,
    store: createSqliteStore({ path: ':memory:' }),
    logger: quiet,
    skillBase: { 'device-search': `http://127.0.0.1:${settings.cloudPort}` },
  })
  return [
    await checked('Access', 'local, or with a token', () => checkAccess(runtime, settings)),
    await checked('Model providers', 'every key is accepted', () => checkModels(runtime)),
    await checked('Skills', 'all can be used', () => checkSkills(runtime)),
    await checked('Channels', 'nothing is missing', () => checkChannels(runtime)),
    await checked('References', 'everything that is named exists', () => checkReferences(runtime, settings)),
  ]
}

async function checked(name: string, about: string, check: () => Promise<Finding[]>): Promise<Checked> {
  try {
    return { name, about, findings: await check() }
  } catch (cause) {
    const fix = 'Correct what it names, or restore the data home from a backup.'
    return { name, about, findings: [error(`${name} cannot be checked: ${wordsOf(cause)}`, fix)] }
  }
}

async function checkAccess(runtime: AgentRuntime, settings: Settings): Promise<Finding[]> {
  const { host, allowedHosts } = settings
  const { api_token: token } = await runtime.settings.read()
  const isClosed = allowedHosts.length === 0 || namesAdmins(settings)
  if (token !== undefined || (isLoopback(host) && isClosed)) return []
  const why = isLoopback(host) ? 'Through the proxy of ALLOWED_HOSTS' : `With HOST=${host}`
  const problem = `${why}, other machines reach the agent platform, and there is no access token.`
  return [error(problem, 'Set API_TOKEN to a long random text, or leave HOST and ALLOWED_HOSTS unset.')]
}

async function checkModels(runtime: AgentRuntime): Promise<Finding[]> {
  const { models, problems } = await runtime.models.list()
  if (models.length === 0 && problems.length === 0) {
    const fix =
      'Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY or OPENROUTER_API_KEY, or add a provider on the settings page.'
    return [warning('No model provider has a key: agents can use the built-in test models only.', fix)]
  }
  return problems.map(({ provider, message }) => {
    return error(
      `The model provider ${provider} cannot be used: ${message}`,
      `Check the key and the address of ${provider}.`,
    )
  })
}

async function checkSkills(runtime: AgentRuntime): Promise<Finding[]> {
  const skills = await runtime.skills.list()
  return skills.flatMap((skill) => {
    if ('error' in skill) {
      const fix = 'Correct its files, install it again, or delete its folder.'
      return [error(`The skill ${skill.id} cannot be used: ${skill.error}`, fix)]
    }
    if (skill.missing_env.length > 0) {
      const problem = `The skill ${skill.id} lacks environment variables: ${skill.missing_env.join(', ')}.`
      return [warning(problem, 'Set them, and start the server again.')]
    }
    const disabled = skill.configured ? (skill.disabled_tools ?? []) : []
    return disabled.map(({ id, reason }) => {
      const problem = `The tool ${id} of the skill ${skill.id} is disabled: ${reason}.`
      return warning(problem, 'Correct the configuration of the skill, or remove the tool from its files.')
    })
  })
}

/** Settings that only somebody sets who wants the channel. */
const begun = /^(channel_[a-e])_(?:bot_token|signing_secret|public_key|bridge_url|bridge_secret|auth_token)$/

async function checkChannels(runtime: AgentRuntime): Promise<Finding[]> {
  const settings = Object.entries(await runtime.settings.read())
  const ids = settings.flatMap(([key, value]) => (value === undefined ? [] : (begun.exec(key)?.[1] ?? [])))
  const statuses = await Promise.all([...new Set(ids)].map((id) => runtime.channels.status(id)))
  return statuses
    .filter(({ missing }) => missing.length > 0)
    .map(({ platform, missing }) => {
      const fix = `Set ${missing.join(' and ')} on the settings page, or in config.json.`
      return error(`The channel ${platform} does not work: ${missing.join(' and ')} is missing.`, fix)
    })
}
