import type { Child } from "hono/jsx";
import { useId } from "hono/jsx/dom";
import type { Editing } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { AddressSetting } from "./address-setting.tsx";
import { DeleteSetting } from "./delete-setting.tsx";
import { LanguagesSetting } from "./languages-setting.tsx";
import { SETTINGS_TEXTS } from "./settings-texts.ts";
import { StatusSetting } from "./status-setting.tsx";
import { TransferSetting } from "./transfer-setting.tsx";
import { ZoneSetting } from "./zone-setting.tsx";

export function SettingsPanel(props: { editing: Editing }) {
  const { editing } = props;
  return (
    <>
      <h2>{EDITOR_TEXTS.panels.settings}</h2>
      <Setting title={SETTINGS_TEXTS.address.title}>
        <AddressSetting editing={editing} />
      </Setting>
      <Setting title={SETTINGS_TEXTS.status.title}>
        <StatusSetting editing={editing} />
      </Setting>
      <Setting title={SETTINGS_TEXTS.languages.title}>
        <LanguagesSetting editing={editing} />
      </Setting>
      <Setting title={SETTINGS_TEXTS.zone.title}>
        <ZoneSetting editing={editing} />
      </Setting>
      <Setting title={SETTINGS_TEXTS.transfer.title}>
        <TransferSetting editing={editing} />
      </Setting>
      <Setting title={SETTINGS_TEXTS.deletion.title}>
        <DeleteSetting editing={editing} />
      </Setting>
    </>
  );
}

function Setting(props: { title: string; children?: Child }) {
  const id = useId();
  return (
    <section class="setting" aria-labelledby={id}>
      <h3 id={id}>{props.title}</h3>
      {props.children}
    </section>
  );
}
