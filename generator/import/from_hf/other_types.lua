-- from_hf/other_types.lua: the model types of transformers 5.23, and of older releases, that have no file in
-- generator/import/hf, by their names alone: so that one of them is told from a misspelling. A hyphen is an underscore
-- here.
local NAMES = [[
  afmoe aimv2 albert align altclip apertus arcee aria audio_spectrogram_transformer audioflamingo3 autoformer axk1
  axk2 baichuan bailing_hybrid bamba bark bart beam beit bert_generation big_bird bigbird_pegasus biogpt bit bitnet
  blenderbot blenderbot_small blip blip_2 bloom blt blt_global_transformer blt_patcher bridgetower bros
  canary canine chameleon chatglm chinese_clip chmv2 clap clip clipseg clvp codegen cohere cohere2 cohere2_moe
  cohere_asr cohere_compass colmodernvbert colpali colqwen2 convbert convnext convnextv2 cosmos3_edge cosmos3_omni
  cpmant csm ctrl cvt cwm dac dbrx deberta decision_transformer deepseek_ocr2 deepseek_v2 deepseek_v3
  deepseek_v32 deepseek_v4 deepseek_vl deepseek_vl_hybrid deimv2 depth_anything depth_pro detr dia diffllama
  diffusion_gemma dinat dinov2 dinov2_with_registers dinov3_convnext dinov3_vit doge donut_swin dots1 dots3_note dpr
  dpt edgetam efficientloftr efficientnet electra embedding_gemma2 emu3 encodec eomt eomt_dinov3 ernie ernie4_5
  ernie4_5_moe ernie4_5_vl_moe ernie_m esm esmc esmfold2 evolla exaone4 exaone4_5 exaone_moe falcon falcon_h1
  falcon_mamba fast_vlm fastspeech2_conformer fastspeech2_conformer_hifigan fastspeech2_conformer_with_hifigan
  flaubert flava flava_image_codebook flex_olmo flint florence2 fnet focalnet fsmt fun_asr_nano funnel fuyu gemma
  gemma2 gemma3 gemma3n gemma4 gemma4_assistant gemma4_unified gemma4_unified_assistant git glm glm4 glm46v glm4_moe
  glm4_moe_lite glm4v glm4v_moe glm5_next glm_image glm_image_vqmodel glm_moe_dsa glm_ocr glmasr glmga glpn got_ocr2
  gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gpt_oss gpt_sw3 gptj gptsan_japanese gradium_phonon_tts granite
  granite_docling granite_speech5_ctc granite_swa granitemoe granitemoe_swa granitemoehybrid granitemoeshared
  grounding_dino groupvit gte helium hgnet_v2 hiera hubert hunyuan_v1_dense hunyuan_v1_moe hunyuan_vl hy_v3 hy_v4
  hyperclovax ibert idefics idefics2 idefics2_perceiver idefics3 idefics_perciever ijepa imagegpt informer inkling2
  instructblip instructblipvideo internlm internlm2 internlm3 internvl iquestcoder jais2 jamba janus jetmoe jev
  jina_embeddings_v3 jukebox kimi_k25 kimi_linear kolibri1 kosmos_2 kosmos_2.5 laguna lasr_ctc layoutlm layoutlmv2
  layoutlmv3 layoutxlm led levit lfm2 lfm2_moe lfm2_vl lfm3 lfm3_vl lightglue lighton_ocr lilt llama4 llava llava_next
  llava_onevision longcat_flash longformer longt5 luke lxmert m2m_100 mamba mamba2 marian markuplm mask2former
  maskformer maskformer_swin mbart mega megatron_bert mellum metaclip_2 mgp_str mimi mimo_v2_flash minicpm3
  minicpm_ocr minicpmv4_6 minicpmv4_7 minimax minimax_m2 minimax_m3_vl ministral ministral3 mistral3 mistral4
  mistral_large4 mixtral mllama mm_grounding_dino mobilebert mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2
  modernvbert molmo2 moonshine moonshine_streaming moshi moss_transcribe_diarize mpt mra mt5
  muse_glimmer muse_glimmer_assistant muse_spark musicflamingo musicgen musicgen_melody mvp nanochat nat nemo_speechlm
  nemotron nemotron3_5_asr nemotron3_5_transcribe_word_timestamp nemotron3_diarization nemotron_asr_streaming
  nemotron_h nemotron_h_omni neomme neucodec nezha nllb_moe nougat nystromformer olmo olmo2 olmo3
  olmo_hybrid olmoe omdet_turbo oneformer open_llama openai_gpt openai_privacy_filter opt ovis2 owlv2 owlvit
  paddleocr_vl paligemma parakeet_ctc parakeet_rnnt patchtsmixer patchtst pegasus pegasus_x perceiver perception_lm
  persimmon phi phi3 phi4_multimodal phimoe pi0 pix2struct pixio pixtral plbart pocket_tts poolformer pop2piano
  pp_chart2table pp_doclayout_v2 pp_doclayout_v3 pp_doclayout_v4 pp_formulanet pp_lcnet pp_lcnet_v3 pp_lcnet_v4
  pp_ocrv5_mobile_det pp_ocrv5_mobile_rec pp_ocrv5_server_det pp_ocrv5_server_rec pp_ocrv6_medium_det
  pp_ocrv6_small_det pp_ocrv6_small_rec pp_ocrv6_tiny_rec prophetnet pvt pvt_v2 qdqbert qianfan_ocr qwen qwen2_5_omni
  qwen2_5_vl qwen2_moe qwen2_vl qwen3_5 qwen3_5_moe qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl
  qwen3_vl_moe qwen4_exp radio rag realm recurrent_gemma reformer regnet rembert resnet retribert roberta_prelayernorm
  roc_bert roformer rwkv sam sam2 sam3 sam_hq sapiens2 seamless_m4t seamless_m4t_v2 seed_oss segformer seggpt sew
  sew_d shieldgemma2 siglip siglip2 slanet slanext smollm3 smolvlm solar_open speecht5 speecht5_hifigan splinter
  squeezebert stablelm starcoder2 step3p5 step3p7 superglue superpoint swiftformer swin swin2sr swinv2
  switch_transformers t5 t5_gemma_module t5gemma t5gemma2 table_transformer tapas tapex textnet
  time_series_transformer timesfm timesfm2_5 timesformer timm_wrapper tipsv2 tipsv2_dpt trajectory_transformer
  transfo_xl trocr tvp udop ultrabert ultravbert umt5 unispeech unispeech_sat univnet unlimited_ocr upernet uvdoc van
  vaultgemma vibevoice vibevoice_asr vibevoice_diffusion video_llama_3 video_llava videomae videomt videoprism vilt
  vipllava visual_bert vit_hybrid vit_mae vit_msn vitdet vitmatte vitpose vits vivit vjepa2 voxtral voxtral_realtime
  wav2vec2 wav2vec2_bert wav2vec2_conformer wavlm whisper xclip xcodec xcodec2 xglm xlm xlm_prophetnet xlm_roberta_xl
  xlnet xlstm xmod yolos yoso youtu zamba zamba2 zaya zoedepth]]

local other_types = {}
for name in NAMES:gmatch("%S+") do other_types[name] = true end

-- { [model type] = true }
return other_types
