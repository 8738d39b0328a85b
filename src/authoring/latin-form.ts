/**
 * Arabic names in Latin letters, for slugs. The script writes no short vowels, so usual names come
 * from a list, in the spelling that their bearers use most, and other words letter by letter.
 */

/** The keys are those of {@link keyOf}. There is no standard that people follow. */
const NAMES = new Map(
  `احمد ahmed احمدي ahmadi اروي arwa اسامه osama اسماء asmaa اسماعيل ismail اسيل aseel اشرف ashraf
افنان afnan الاء alaa الهام elham امال amal امل amal امنه amna اميره amira امير amir امين amin
امينه amina انس anas انور anwar ايات ayat اياد eyad ايمان eman ايمن ayman ايناس enas ايه aya
باسم basem باسل basel بتول batoul بدر badr بسمه basma بكر bakr بشري bushra بلال bilal بلقيس balqis بيان bayan
تامر tamer تركي turki تسنيم tasneem تغريد taghreed تهاني tahani ثامر thamer جاسم jassim جابر jaber
جميل jamil جميله jamila جمال gamal جنه janna جني jana جود joud جوري jouri جواهر jawaher حاتم hatem
حازم hazem حامد hamed حداد haddad حسام hossam حسن hassan حسين hussein حصه hessa حمد hamad حمدي hamdy
حمزه hamza حميد hameed حنان hanan حنين haneen حلا hala حياه hayat خالد khaled خديجه khadija
خليل khalil خليفه khalifa خلود kholoud داليا dalia دانا dana دانه dana دعاء doaa دلال dalal دنيا donia
دينا dina ديمه deema راشد rashed رامي ramy رانيا rania رائد raed ربي ruba رحاب rehab رحمه rahma
رزان razan رشا rasha رغد raghad رنا rana رنيم raneem رهف rahaf روان rawan روي rowa ريان rayan
ريم reem ريما rima ريناد renad ريهام reham زهراء zahra زياد ziad زيد zaid زين zain زينب zeinab
سالم salem ساره sara ساميه samia سامي sami سامر samer ساندي sandy سحر sahar سعاد souad سعد saad
سعود saud سعيد saeed سلطان sultan سلمان salman سلمي salma سليم salim سليمان suleiman سما sama
سماح samah سمر samar سميه sumaya سمير samir سميره samira سناء sanaa سهي soha سوزان suzan سوسن sawsan
سيف saif شادي shady شادن shaden شاهد shahed شذي shatha شريف sherif شروق shorouk شهد shahd شهد shahd
شيماء shaimaa شيخه shaikha صالح saleh صبا saba صفا safa صفاء safaa صلاح salah ضحي doha طارق tarek
طلال talal طه taha عادل adel عاصم assem عامر amer عايشه aisha عائشه aisha عبدالله abdullah عبده abdo
عبير abeer عثمان osman عدنان adnan عزه azza عزيز aziz عصام essam عطار attar علا ola علاء alaa
علي ali عليا alia عليه alia عماد emad عمار ammar عمر omar عمرو amr عهود ohoud عيسي issa عيد eid
غاده ghada غدير ghadeer غلا ghala غيداء ghaida فؤاد fouad فاتن faten فادي fady فارس fares
فاروق farouk فاطمه fatima فجر fajr فرح farah فريد farid فريده farida فهد fahad فوزي fawzy فيصل faisal
قاسم qasim كريم karim كريمه karima كمال kamal كنزي kenzy كوثر kawthar لانا lana لبني lobna لجين lujain
لطيفه latifa لمي lama لما lama لميس lamis لوجين lojain لولوه lulwa لؤي louay ليان layan ليث laith
لين leen لينا lina ليلي layla مازن mazen ماجد majed ماجده magda ماهر maher مايا maya مجدي magdy
محسن mohsen محمد mohamed محمود mahmoud مراد mourad مرام maram مروان marwan مروه marwa مريم mariam
مشاري mishari مصطفي mostafa معاذ moaz ملك malak منار manar منال manal مني mona منصور mansour
منيره munira منه menna مها maha مهند mohannad موزه moza موسي mousa مي mai مياده mayada ميار mayar
ميرا mira ميساء maysa نادر nader ناديه nadia نادين nadine ناصر nasser نبيل nabil نجلاء naglaa
نجوي nagwa ندي nada نرمين nermin نسرين nesreen نعيمه naima نهي noha نهله nahla نواف nawaf نوال nawal
نور nour نورا nora نوره noura نورهان nourhan نوف nouf هادي hady هاجر hagar هاله hala هاني hany
هبه heba هدي hoda هدير hadeer هشام hesham هلا hala هند hind هنادي hanadi هيا haya هيثم haitham
هيفاء haifa وائل wael وجدان wejdan وسام wesam وسيم wassim وعد waad وفاء wafaa ولاء walaa وليد walid
ياره yara ياسر yasser ياسمين yasmin ياسين yassin يحيي yahya يزيد yazid يسرا yousra يسري yousry
يعقوب yaqoub يوسف youssef يونس younes
رحمن rahman رحيم rahim هادي hady مجيد majeed ملك malek رزاق razek قادر kader سلام salam
ابو abu ام umm بن bin ابن ibn بنت bint ال al عبد abd شيخ sheikh د dr دكتور dr دكتوره dr استاذ ustaz`
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, i) => {
      const last = pairs.at(-1);
      if (i % 2 === 0 || last === undefined) pairs.push([word, ""]);
      else last[1] = word;
      return pairs;
    }, []),
);

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ا: "a", ب: "b", ت: "t", ث: "th", ج: "j", ح: "h", خ: "kh", د: "d", ذ: "th", ر: "r" },
  ...{ ز: "z", س: "s", ش: "sh", ص: "s", ض: "d", ط: "t", ظ: "z", ع: "a", غ: "gh", ف: "f" },
  ...{ ق: "q", ك: "k", ل: "l", م: "m", ن: "n", ه: "h", و: "w", ي: "i", ء: "" },
  ...{ أ: "a", إ: "i", آ: "a", ٱ: "a", ى: "a", ة: "a", ؤ: "o", ئ: "e" },
  ...{ پ: "p", چ: "ch", ژ: "zh", گ: "g", ڤ: "v" },
};

export interface LatinForm {
  words: string[];
  /** Every word is in the list. */
  is_known: boolean;
}

/** @param words of Arabic letters and digits, in the spelling of `canonicalSlug` */
export function latinForm(words: readonly string[]): LatinForm {
  const spelled = oneNameEach(words).flatMap(spelledParts);
  return {
    words: spelled.map(({ text }) => text).filter((text) => text !== ""),
    is_known: spelled.every(({ is_known }) => is_known),
  };
}

/** "عبد الرحمن" is one name, which many write as one word. */
function oneNameEach(words: readonly string[]): string[] {
  return words
    .join(" ")
    .replace(/(?<!\S)عبد ال/g, "عبدال")
    .split(" ");
}

interface Spelled {
  text: string;
  is_known: boolean;
}

/** The article is a word of its own: `al-attar`. */
function spelledParts(word: string): Spelled[] {
  const whole = spelled(word);
  if (whole.is_known) return [whole];
  const [, servant = "", rest] = /^(عبد)?ال(.{2,})$/u.exec(word) ?? [];
  if (rest === undefined) return [whole];
  const { text, is_known } = spelled(rest);
  return servant === ""
    ? [
        { text: "al", is_known: true },
        { text, is_known },
      ]
    : [{ text: `abdel${text}`, is_known }];
}

function spelled(word: string): Spelled {
  const known = NAMES.get(keyOf(word));
  if (known !== undefined) return { text: known, is_known: true };
  const text = [...word].map((letter) => LETTERS[letter] ?? digitOf(letter)).join("");
  return { text, is_known: /^\p{Nd}+$/u.test(word) };
}

/** Spellings that differ by hamza, the last ya or ta marbuta are one key. */
function keyOf(word: string): string {
  return word
    .replace(/[أإآٱ]/g, "ا")
    .replace(/ى/g, "ي")
    .replace(/ة/g, "ه");
}

/** Empty for another sign. Both rows of Arabic digits begin at a multiple of 16. */
function digitOf(letter: string): string {
  const digit = /[\u0660-\u0669\u06f0-\u06f9]/.test(letter) ? letter.charCodeAt(0) & 15 : letter;
  return /\d/.test(`${digit}`) ? `${digit}` : "";
}
