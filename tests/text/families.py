"""The families of tokenizers that the oracle compares: a row each, a name and a function of lines that makes one."""
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def trained(model, trainer, lines, normalizer=None, pre_tokenizer=None):
    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def wordpiece(lines, normalizer, pre_tokenizer, size=1200):
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT_SPECIAL, show_progress=False)
    tokenizer = trained(models.WordPiece(unk_token="[UNK]"), trainer, lines, normalizer, pre_tokenizer)
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def bert(lines, **options):
    tokenizer = wordpiece(lines, normalizers.BertNormalizer(**options), pre_tokenizers.BertPreTokenizer())
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def bert_uncased(lines):
    return bert(lines, lowercase=True)


def bert_cased(lines):
    tokenizer = bert(lines, lowercase=False)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    tokenizer.enable_truncation(20)
    return tokenizer


def bert_accents(lines):
    tokenizer = bert(lines, lowercase=True, strip_accents=False, handle_chinese_chars=False, clean_text=False)
    tokenizer.enable_truncation(9, strategy="longest_first", direction="left")
    return tokenizer


def bert_added(lines):
    tokenizer = bert(lines, lowercase=True)
    tokenizer.add_tokens([AddedToken("[Extra 1]", normalized=True), AddedToken("extra", single_word=True),
                          AddedToken("world", lstrip=True, rstrip=True, normalized=False),
                          AddedToken("naïve", single_word=True, normalized=True)])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True), AddedToken("</s>", rstrip=True)])
    tokenizer.enable_truncation(12, strategy="only_first")
    return tokenizer


def words(lines):
    steps = [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip(), normalizers.Replace("e", "3")]
    cuts = [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    tokenizer = wordpiece(lines, normalizers.Sequence(steps), pre_tokenizers.Sequence(cuts))
    tokenizer.decoder = decoders.Sequence([decoders.WordPiece(), decoders.Replace("3", "e"), decoders.Fuse(),
                                           decoders.Strip("t", 1, 0)])
    return tokenizer


def forms(lines):
    steps = [normalizers.NFD(), normalizers.StripAccents(), normalizers.NFC(), normalizers.Prepend("_")]
    cuts = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("merged_with_next"),
            pre_tokenizers.Digits(individual_digits=False)]
    return wordpiece(lines, normalizers.Sequence(steps), pre_tokenizers.Sequence(cuts))


def composed(lines):
    steps = [normalizers.NFKD(), normalizers.NFC(), normalizers.Replace(Regex(r"[0-9]+|\s{2,}"), "<n>")]
    return wordpiece(lines, normalizers.Sequence(steps), pre_tokenizers.Punctuation("contiguous"))


def Regex(pattern):
    from tokenizers import Regex as Pattern
    return Pattern(pattern)


FAMILIES = [
    ("bert_uncased", bert_uncased),
    ("bert_cased", bert_cased),
    ("bert_accents", bert_accents),
    ("bert_added", bert_added),
    ("words", words),
    ("forms", forms),
    ("composed", composed),
]
