import type { SettingsView } from '@homeward/contract/agent-platform'
import { Fragment } from 'react'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { ModelProvidersCard } from './model-providers-card.tsx'
import { settingGroups, type SettingGroup } from './setting-texts.ts'
import { SettingsForm } from './settings-form.tsx'

const isChannel = ({ id }: SettingGroup) => id.startsWith('channel_')

/** The settings of the platform. */
export function SettingsPage() {
  const query = usePlatformQuery('getSettings')
  return (
    <>
      <PageHeader
        title="Settings"
        description="Kept in config.json, readable by you alone. What the server's environment says wins over it."
      />
      <QueryView query={query}>
        {(settings) => (
          <div className="stack">
            {settingGroups
              .filter((group) => !isChannel(group))
              .map((group) => (
                <Fragment key={group.id}>
                  <SettingsCard group={group} settings={settings} />
                  {group.id === 'models' && <ModelProvidersCard />}
                </Fragment>
              ))}
            <Card title="Channels">
              <p className="muted">Each channel has a page of its own with its state and its first steps.</p>
              {settingGroups.filter(isChannel).map((group) => (
                <Disclosure key={group.id} title={group.title}>
                  <SettingsForm settings={settings} keys={group.keys} />
                </Disclosure>
              ))}
            </Card>
          </div>
        )}
      </QueryView>
    </>
  )
}

function SettingsCard({
  group,
  settings,
}: {
  readonly group: SettingGroup
  readonly settings: SettingsView
}) {
  const { id, title, description, keys } = group
  return (
    <div id={id}>
      <Card title={title}>
        <p className="muted">{description}</p>
        <SettingsForm settings={settings} keys={keys} />
      </Card>
    </div>
  )
}
