import type { SettingKey, Settings, SettingsPatch, SettingsView } from '@homeward/contract/agent-platform'

/** What came of a change of the settings. */
export interface SettingsUpdate {
  /** Settings of the change that the environment sets too: they are saved, but it wins. */
  readonly overridden: readonly SettingKey[]
}

/** What the operator configured (A13). */
export interface RuntimeSettings {
  /** Settings with secrets: the environment over config.json. Sees a file that was edited by hand. */
  read(): Promise<Settings>
  /** Settings as they may be shown: secrets as `has_<key>` booleans, and what is configured. */
  view(): Promise<SettingsView>
  /**
   * Changes config.json: absent keys keep their value, `null` and `''` clear. All of it or nothing.
   *
   * @throws {RuntimeError} `validation_error` for an unknown key or a value that cannot be used.
   */
  update(patch: SettingsPatch): Promise<SettingsUpdate>
}
