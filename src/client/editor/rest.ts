/** One file of what the first paint does not need: many small ones would be as many requests. */

export { LabelIdeas, PictureWords } from "./ai/link-ideas.tsx";
export { BlockForm } from "./blocks/block-form.tsx";
export { ConflictDialog } from "./conflict-dialog.tsx";
export { HistoryPanel } from "./history/history-panel.tsx";
export { Schedule } from "./links/schedule.tsx";
export { LookPanel } from "./look/look-panel.tsx";
export { PictureDialog } from "./pictures/picture-dialog.tsx";
export { ProfilePanel } from "./profile/profile-panel.tsx";
export { DeletedDialog } from "./settings/delete-setting.tsx";
export { SettingsPanel } from "./settings/settings-panel.tsx";
export { ShareSheet } from "./share/share-sheet.tsx";
export { PhotoStep } from "./start/photo-step.tsx";
