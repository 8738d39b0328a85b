/** `rest.ts` has these parts, which are loaded after the first paint. */
import { lazy, repeatable } from "./lazy.tsx";

const rest = repeatable(() => import("./rest.ts"));

export const BlockForm = lazy(async () => (await rest()).BlockForm);
export const ConflictDialog = lazy(async () => (await rest()).ConflictDialog);
export const DeletedDialog = lazy(async () => (await rest()).DeletedDialog);
export const HistoryPanel = lazy(async () => (await rest()).HistoryPanel);
export const LabelIdeas = lazy(async () => (await rest()).LabelIdeas);
export const LookPanel = lazy(async () => (await rest()).LookPanel);
export const PhotoStep = lazy(async () => (await rest()).PhotoStep);
export const PictureDialog = lazy(async () => (await rest()).PictureDialog);
export const PictureWords = lazy(async () => (await rest()).PictureWords);
export const ProfilePanel = lazy(async () => (await rest()).ProfilePanel);
export const Schedule = lazy(async () => (await rest()).Schedule);
export const SettingsPanel = lazy(async () => (await rest()).SettingsPanel);
export const ShareSheet = lazy(async () => (await rest()).ShareSheet);
